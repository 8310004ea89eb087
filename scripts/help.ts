/** `npm start -- --help`. */
import { settingsHelp } from '../server/src/settings.ts';

console.log(settingsHelp());
