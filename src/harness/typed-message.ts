/** Typed message: what the processes of a run tell each other over IPC is told apart by its `type`. */

export function hasType(message: unknown, type: string): boolean {
  return isTyped(message) && message.type === type;
}

/** Whether it can be one of ours at all: other people's code runs in some threads, and may post what it likes. */
export function isTyped(message: unknown): message is { readonly type: unknown } {
  return typeof message === 'object' && message !== null && 'type' in message;
}
