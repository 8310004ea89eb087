/** Shortens a failure to a few lines: its name, and the beginning of its message without colours. */
import { stripVTControlCharacters } from 'node:util';

export const shortly = (title, message = '') => `${title}\n${stripVTControlCharacters(message).split('\n').slice(0, 12).join('\n')}`;
