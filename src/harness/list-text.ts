/** List text: every layer, rate limit and target with its options, and the stacks and presets with a name, for `--list`. */
import { describeLimits } from '../patterns/rate-limit-policy.ts';
import { stackLists } from '../patterns/stack-plan.ts';
import { describeLayers } from '../patterns/stack.ts';
import { type Preset, presets } from './presets.ts';
import { targetsText } from './target-options.ts';

/**
 * One block per layer and kind of rate limit: name and meaning, then an indented line per option; then the stacks, the
 * targets and the presets.
 */
export function listText(): string {
  const layers = describeLayers().map((layer) =>
    [
      `${layer.name}: ${layer.meaning}`,
      ...layer.options.map(
        (option) =>
          `  --set ${layer.name}.${option.name}=${option.default}  (${option.allowed}) ${option.meaning}`,
      ),
    ].join('\n'),
  );
  const limits = describeLimits().map((limit) =>
    [
      `rate limit ${limit.kind}: ${limit.meaning}`,
      ...limit.options.map(
        (option) =>
          `  --rate-limit ${limit.kind}:${option.name}=${option.default}  (${option.allowed}) ${option.meaning}`,
      ),
    ].join('\n'),
  );
  const lists = Object.entries(stackLists).map(([name, stacks]) => `  ${name} = ${stacks.join(',')}`);
  return [
    ...layers,
    ...limits,
    ['stacks with a name:', '  baseline = timeout alone', ...lists].join('\n'),
    targetsText(),
    ['presets:', ...Object.entries(presets).map(presetText)].join('\n'),
    '',
  ].join('\n\n');
}

function presetText([name, { meaning, flags }]: [string, Preset]): string {
  return `  ${name}: ${meaning}\n    = ${flags.join(' ')}`;
}
