/** The text of a note in a list, with the people that it mentions by their names in place of what they sign in with. */
import { partsOfNote } from '@cloudfit/contract/notes.ts';

export function withNames(text: string, nameOf: (userName: string) => string): string {
  return partsOfNote(text)
    .map((part) => (part.kind === 'mention' ? `@${nameOf(part.userName) || part.userName}` : part.text))
    .join('');
}
