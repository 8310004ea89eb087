/** Reads the text of a stream of server-sent events. */

/** Calls `onEvent` for each complete event of a text/event-stream; returns the rest of the buffer, an incomplete event. */
export function readEvents(buffer: string, onEvent: (id: string | undefined, data: string) => void): string {
  const blocks = buffer.split(/\r?\n\r?\n/);
  const rest = blocks.pop() ?? '';
  for (const block of blocks) {
    let id: string | undefined;
    const data: string[] = [];
    for (const line of block.split(/\r?\n/)) {
      if (line.startsWith('id:')) id = line.slice(3).trim();
      else if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
    }
    if (data.length > 0) onEvent(id, data.join('\n'));
    else if (id !== undefined) onEvent(id, '');
  }
  return rest;
}
