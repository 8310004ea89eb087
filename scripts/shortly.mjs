/** A failure in a few lines: what it is called, and the beginning of its message without colours. */
import { stripVTControlCharacters } from 'node:util';

export const shortly = (title, message = '') => `${title}\n${stripVTControlCharacters(message).split('\n').slice(0, 12).join('\n')}`;
