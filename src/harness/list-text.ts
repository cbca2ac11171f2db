/** List text: every layer, rate limit and target with its options, and the stacks and presets with a name, for `--list`. */
import type { OptionDescription } from '../patterns/option-set.ts';
import { describeLimits } from '../patterns/rate-limit-policy.ts';
import { stackLists } from '../patterns/stack-plan.ts';
import { describeLayers, describePools } from '../patterns/stack.ts';
import { specsOf } from '../patterns/options.ts';
import { type Preset, presets } from './presets.ts';
import { peerOptions } from './peers/peer-options.ts';
import { type PeerLayer, peerNames, peerVersions } from './peers/peer-stack.ts';
import { describeTargets } from './target-options.ts';

/**
 * One block per layer, for the pools, and per kind of rate limit: name and meaning, then an indented line per option; then
 * the stacks, the targets and the presets.
 */
export function listText(): string {
  const lists = Object.entries(stackLists).map(([name, stacks]) => `  ${name} = ${stacks.join(',')}`);
  return [
    ...describeLayers().map((layer) => block(layer.name, layer, `--set ${layer.name}.`)),
    block('pools', { meaning: poolsMeaning, options: describePools() }, '--set pools.'),
    ...describeLimits().map((limit) =>
      block(`rate limit ${limit.kind}`, limit, `--rate-limit ${limit.kind}:`),
    ),
    [
      'stacks with a name:',
      '  baseline = timeout alone',
      '  shared-pools = baseline with pools.shared=true; retry+shared-pools = retry with it, and so on',
      ...lists,
    ].join('\n'),
    peersText(),
    [
      'a stack of your own:',
      '  --pattern ./my-stack.ts  (or .js, .mjs) a module that exports a layer, an array of layers, or a function around a call: docs/your-own.md',
    ].join('\n'),
    ...describeTargets().map((target) => block(target.name, target, `--target ${target.name}:`)),
    [
      'a payment service of your own:',
      '  --target http://127.0.0.1:3000  answers POST /payments; on another machine with --allow-remote HOST: docs/your-own.md',
    ].join('\n'),
    ['presets:', ...Object.entries(presets).map(presetText)].join('\n'),
    '',
  ].join('\n\n');
}

const poolsMeaning =
  'the connections to the payment service and to the user service, a pool for each; no layer, every stack ends in them';

interface Described {
  readonly meaning: string;
  readonly options: readonly OptionDescription[];
}

/** @param flag What stands before an option's name on a command line. */
function block(title: string, { meaning, options }: Described, flag: string): string {
  return [
    `${title}: ${meaning}`,
    ...options.map(
      (option) => `  ${flag}${option.name}=${option.default}  (${option.allowed}) ${option.meaning}`,
    ),
  ].join('\n');
}

/** For each library: its layers, with the options that apply to them and those that do not. */
function peersText(): string {
  const options = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '));
  return [
    'stacks of other libraries, where they are installed (name alone: breaker+timeout; the timeout ends every stack):',
    ...peerNames.flatMap((peer) => [
      `  ${peer} = ${peer}:breaker  (${peerVersions[peer]})`,
      ...Object.entries(peerOptions[peer]).map(([layer, applicable]) => {
        const others = Object.keys(specsOf(layer as PeerLayer)).filter((name) => !applicable.includes(name));
        return `    ${layer}: ${options(applicable)} apply; ${options(others)} ${others.length === 1 ? 'does' : 'do'} not`;
      }),
    ]),
  ].join('\n');
}

function presetText([name, { meaning, flags }]: [string, Preset]): string {
  return `  ${name}: ${meaning}\n    = ${flags.join(' ')}`;
}
