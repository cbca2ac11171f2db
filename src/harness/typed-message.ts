/** Typed message: what the processes of a run tell each other over IPC is told apart by its `type`. */

export function hasType(message: unknown, type: string): boolean {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === type;
}
