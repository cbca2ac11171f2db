/** Measured stack: a stack as a run names it: of our layers, of another library, or a module of the user's. */
import { existsSync } from 'node:fs';
import {
  type ParsedStack,
  parseStack,
  planStacks,
  sharedPools,
  type StackPlan,
  stacksOf,
} from '../patterns/stack-plan.ts';
import { UsageError } from '../patterns/usage-error.ts';
import type { OwnKind } from './own/own-export.ts';
import { peerDefault, peerLayerPlan, peerOptions } from './peers/peer-options.ts';
import { installLine, type PeerLayer, type PeerName, peerNames, loadPeer } from './peers/peer-stack.ts';

export interface MeasuredStack extends StackPlan {
  /** Absent: its layers are ours. */
  readonly maker?: StackMaker;
}

export type StackMaker =
  | { readonly kind: 'peer'; readonly peer: PeerName; readonly version: string }
  /** The layers of the plan, which is the attempt timeout, stand behind what the module exports. */
  | { readonly kind: 'module'; readonly file: string; readonly url: string; readonly exports: OwnKind };

interface NamedStack extends ParsedStack {
  readonly peer?: PeerName;
  /** A module, as the user calls it. */
  readonly file?: string;
}

/** A stack of which it is not yet known whether what it needs is there. */
export interface WantedStack extends StackPlan {
  readonly peer?: PeerName;
  readonly file?: string;
}

/**
 * Reads a list of stacks as `parseStacks` does; `cockatiel`, `opossum:breaker+bulkhead` and `./my-stack.ts` are stacks
 * too.
 *
 * @throws {UsageError} If anything in it does not exist, comes twice, is out of range or would have no effect.
 */
export function parseStackList(list: string, settings: readonly string[]): WantedStack[] {
  const named = stacksOf(list).map(parseNamed);
  const wanted = planStacks(list, named, settings).map(
    ({ name, layers, pools, peer, file }): WantedStack => ({
      name,
      layers: peer === undefined ? layers : layers.map((layer) => peerLayerPlan(peer, layer)),
      pools,
      ...(peer !== undefined && { peer }),
      ...(file !== undefined && { file }),
    }),
  );
  for (const setting of settings) checkEffect(setting, wanted);
  return wanted;
}

/**
 * Finds what the stacks need: the libraries, and the modules, which are loaded and tried.
 *
 * @throws {UsageError} One line, if one of them is not there or cannot be used.
 */
export async function prepareStacks(stacks: readonly WantedStack[]): Promise<MeasuredStack[]> {
  const prepared: MeasuredStack[] = [];
  for (const { peer, file, ...plan } of stacks) {
    if (peer !== undefined) prepared.push({ ...plan, maker: peerMaker(peer) });
    else prepared.push(file === undefined ? plan : { ...plan, maker: await moduleMaker(file) });
  }
  return prepared;
}

/** Whose layers they are, for a result: `cockatiel 3.2.1`, `./my-stack.ts`. */
export function makerText({ maker }: MeasuredStack): string {
  if (maker === undefined) return 'wavetank';
  return maker.kind === 'peer' ? `${maker.peer} ${maker.version}` : maker.file;
}

function parseNamed(text: string): NamedStack {
  // A name with a + in it may be a file's all the same.
  if (isModule(text) && (!text.includes('+') || existsSync(text)))
    return { ...parseStack('baseline'), name: text, file: text };
  const module = text.split('+').find((part) => isModule(part.trim()));
  if (module !== undefined) {
    throw new UsageError(
      `${text} puts ${module.trim()} among layers; allowed: ${module.trim()} alone, which may export an array with our layers in it`,
    );
  }
  const [, prefix, sign, layers] = /^([^:+]+?)\s*(?:([:+])\s*(.*))?$/s.exec(text) ?? [];
  const peer = peerNames.find((name) => name === prefix);
  if (peer === undefined) return ownStack(text);
  if (sign === '+' && layers !== sharedPools) {
    throw new UsageError(
      `${text} mixes a library with layers; allowed: ${peer}:${layers ?? ''}, all of them its own`,
    );
  }
  return parsePeer(peer, text, layers);
}

function isModule(text: string): boolean {
  return /^\.{0,2}[/\\]|\.(?:[cm]?js|m?ts)$/.test(text);
}

/** A stack of our layers; whoever has mistyped it hears of everything else that it could have been. */
function ownStack(text: string): NamedStack {
  try {
    return parseStack(text);
  } catch (error) {
    if (!(error instanceof UsageError) || text.includes('+')) throw error;
    throw new UsageError(`${error.message}, ${peerNames.join(', ')}, or a module such as ./my-stack.ts`);
  }
}

/** `cockatiel`, `cockatiel:retry+breaker`, `cockatiel+shared-pools`. */
function parsePeer(peer: PeerName, text: string, layers: string | undefined): NamedStack {
  const alone = layers === undefined || layers === sharedPools;
  const wanted = alone ? [peerDefault, layers].filter(Boolean).join('+') : layers;
  const known = Object.keys(peerOptions[peer]);
  const unknown = wanted
    .split('+')
    .map((layer) => layer.trim())
    .find((layer) => ![...known, sharedPools].includes(layer));
  if (unknown !== undefined) {
    throw new UsageError(
      `${peer} has no ${unknown || 'layer without a name'}; allowed in ${text}: ${known.join(', ')}`,
    );
  }
  const stack = parseStack(wanted);
  if (peer === 'opossum' && stack.layerNames[0] !== 'breaker') {
    throw new UsageError(
      `opossum is a breaker, in which the rest is an option; allowed instead of ${text}: opossum, opossum:breaker+bulkhead`,
    );
  }
  return { ...stack, name: text, peer };
}

function checkEffect(setting: string, stacks: readonly WantedStack[]): void {
  const [, owner = '', option = ''] = /^\s*([^.=]+?)\s*\.\s*([^.=]+?)\s*=/.exec(setting) ?? [];
  if (owner === 'pools') return;
  const having = stacks.filter((stack) => stack.layers.some(({ name }) => name === owner));
  if (having.some((stack) => stack.layers.some((layer) => layer.name === owner && option in layer.options)))
    return;
  const [peer] = having.flatMap((stack) => stack.peer ?? []);
  if (peer === undefined) return;
  const allowed = peerOptions[peer][owner as PeerLayer] ?? [];
  throw new UsageError(
    `${setting} has no effect: ${peer} has no such option; allowed: ${allowed.map((name) => `${owner}.${name}`).join(', ')}`,
  );
}

function peerMaker(peer: PeerName): StackMaker {
  // Loaded here as well as in the gateway, so that one that cannot be is known before anything starts.
  const loaded = loadPeer(peer);
  if (loaded === undefined) throw new UsageError(installLine(peer));
  return { kind: 'peer', peer, version: loaded.version };
}

async function moduleMaker(file: string): Promise<StackMaker> {
  // Bundling and trying need much that no other run does.
  const [{ ownModuleUrl }, { checkOwnModule }] = await Promise.all([
    import('./own/own-bundle.ts'),
    import('./own/own-check.ts'),
  ]);
  const url = await ownModuleUrl(file);
  return { kind: 'module', file, url, exports: await checkOwnModule({ file, url }) };
}
