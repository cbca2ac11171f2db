/** Layers text: every layer with its options, and the stacks with a name, for `--list`. */
import { stackLists } from '../patterns/stack-plan.ts';
import { describeLayers } from '../patterns/stack.ts';

/** One block per layer: name and meaning, then an indented line per option. */
export function layersText(): string {
  const layers = describeLayers().map((layer) =>
    [
      `${layer.name}: ${layer.meaning}`,
      ...layer.options.map(
        (option) =>
          `  --set ${layer.name}.${option.name}=${option.default}  (${option.allowed}) ${option.meaning}`,
      ),
    ].join('\n'),
  );
  const lists = Object.entries(stackLists).map(([name, stacks]) => `  ${name} = ${stacks.join(',')}`);
  return [...layers, ['stacks with a name:', '  baseline = timeout alone', ...lists].join('\n'), ''].join(
    '\n\n',
  );
}
