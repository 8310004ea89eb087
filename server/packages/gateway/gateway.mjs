/** The listeners of a site: each operation is a process that is kept alive, and hands over what it hears. */
import { run } from './operation.mjs';

// Each loads only its protocol.
const listener = async (file, name) => (await import(file))[name]();

await run({
  'SNMP traps': () => listener('./traps.mjs', 'listenForTraps'),
  Syslog: () => listener('./syslog.mjs', 'listenForSyslog'),
  MQTT: () => listener('./mqtt.mjs', 'subscribe'),
});
// A port that is open already would keep a listener that has failed.
if (process.exitCode) process.exit();
