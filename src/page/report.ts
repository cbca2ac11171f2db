/** The report's script: draws the charts from the data in the page and makes its switches work. Nothing else. */
import 'uplot/dist/uPlot.min.css';
import './report.css';
import { type OrderClass, orderClasses, type PageData } from '../harness/report/page-data.ts';
import { stackStyle } from '../harness/stack-style.ts';
import { find, findAll, isChecked } from './dom.ts';
import { type ChartLine, percentileChart } from './percentile-chart.ts';
import { startTheme } from './theme.ts';
import { startTimelines } from './timelines.ts';

const data = JSON.parse(find('#report-data').textContent) as PageData;
document.documentElement.classList.add('live');
startTheme();
startOrders();
startLoopDelay();
startTimelines(data);

function startOrders(): void {
  const figure = document.querySelector<HTMLElement>('#percentiles');
  if (figure === null) return;
  const draw = percentileChart(figure);
  const show = () => {
    const shown = checkedClass(figure);
    for (const list of findAll('[data-class]', figure)) list.hidden = list.dataset.class !== shown;
    draw({
      lines: linesOf(figure, (stack) => stack.percentiles[shown]),
      logarithmic: isLogarithmic(figure),
      slaMs: data.slaMs,
      emptyText: `No line to draw: no stack that is switched on has ${shown === 'all' ? '' : `${shown} `}orders.`,
    });
  };
  figure.addEventListener('change', show);
  show();
}

function startLoopDelay(): void {
  const figure = document.querySelector<HTMLElement>('#loop-delay');
  if (figure === null) return;
  const draw = percentileChart(figure);
  const show = () => {
    const canaries = isChecked('[data-canary]', figure);
    draw({
      lines: [
        ...linesOf(figure, (stack) => stack.canaryDelay).map((line): ChartLine => {
          return {
            ...line,
            mark: '',
            name: `canary beside ${line.name}`,
            colour: '--canary',
            dash: [2, 3],
            width: 1.5,
            shown: line.shown && canaries,
          };
        }),
        ...linesOf(figure, (stack) => stack.gatewayDelay),
      ],
      logarithmic: isLogarithmic(figure),
      slaMs: null,
      emptyText: 'No line to draw: no stack that is switched on has samples.',
    });
  };
  figure.addEventListener('change', show);
  show();
}

function linesOf(
  figure: HTMLElement,
  lineOf: (stack: PageData['stacks'][number]) => ChartLine['line'] | null,
): ChartLine[] {
  return data.stacks.flatMap((stack, index) => {
    const line = lineOf(stack);
    if (line === null) return [];
    const { colour, dash, mark } = stackStyle(index);
    const shown = isChecked(`[data-stack="${index}"]`, figure);
    return [{ name: stack.name, line, colour: `--stack-${colour}`, dash, mark, width: 2, shown }];
  });
}

function isLogarithmic(figure: HTMLElement): boolean {
  return isChecked('[data-scale="log"]', figure);
}

function checkedClass(figure: HTMLElement): OrderClass {
  return orderClasses.find((name) => isChecked(`[data-order-class="${name}"]`, figure)) ?? 'all';
}
