/** Prints the help of `npm start -- --help`. */
import { settingsHelp } from '../server/src/platform/settings.ts';

console.log(settingsHelp());
