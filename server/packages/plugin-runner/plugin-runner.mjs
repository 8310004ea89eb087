import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { required, run, text } from './operation.mjs';

/** The options of the plugins of Debian's monitoring-plugins, by name; made from their help. */
const plugins = JSON.parse(readFileSync(join(import.meta.dirname, 'plugins.json'), 'utf8'));

/** Where systems keep plugins. */
const folders = [
  '/usr/lib/nagios/plugins',
  '/usr/lib64/nagios/plugins',
  '/usr/lib/monitoring-plugins',
  '/usr/local/libexec/nagios',
  '/usr/local/nagios/libexec',
];

/** The words of the exit codes. */
const states = ['OK', 'WARNING', 'CRITICAL', 'UNKNOWN'];
/** Exit code of a plugin for the state UNKNOWN. */
const unknown = 3;
/** Milliseconds after the end of a plugin for which output of processes that it started is still read. */
const leftoverMs = 500;
/** A fault that the plugin itself would report as UNKNOWN. */
class PluginFault extends Error {}

/** Splits arguments into words without a shell; quotes keep a word with spaces together. */
function wordsOf(line) {
  if (/["']/.test(line.replaceAll(/"[^"]*"|'[^']*'/g, ''))) throw new PluginFault(`A quote in the arguments has no end: ${line}`);
  return [...line.matchAll(/(?:"([^"]*)"|'([^']*)'|[^\s"']+)+/g)].map(([word]) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

function pathOf(name) {
  const places = [...folders, ...(process.env['PATH'] ?? '').split(delimiter)];
  const folder = places.find((place) => existsSync(join(place, name)));
  if (folder === undefined)
    throw new PluginFault(`${name} is not on this machine. Install it: apt install ${plugins[name].package} (Debian, Ubuntu).`);
  return join(folder, name);
}

/** Returns the words of an option; none without a value. */
function optionWords({ name, flag, type, required: isRequired }) {
  const value = text(name);
  if (value === '' && isRequired) throw new PluginFault(`${name} is required.`);
  if (value === '') return [];
  if (type === 'Flag') {
    if (!/^(?:yes|no|true|false)$/i.test(value)) throw new PluginFault(`${name} must be yes or no.`);
    return /^(?:yes|true)$/i.test(value) ? [flag] : [];
  }
  if (type === 'Integer' && !/^[+-]?\d+$/.test(value)) throw new PluginFault(`${name} must be a whole number.`);
  if (type === 'Number' && !Number.isFinite(Number(value))) throw new PluginFault(`${name} must be a number.`);
  if (flag === undefined) return [value];
  // An option that may stand without a value has it in the same word.
  return type === 'Optional' ? [`${flag}${value}`] : [flag, value];
}

/** Writes secrets to a private file that the plugin reads, because every user of the machine can read arguments. */
function secretWords(name, secrets) {
  const lines = secrets.flatMap(({ name: placeholder, key }) => {
    const value = process.env[`CLOUDFIT_SECRET_${placeholder.toUpperCase().replaceAll(' ', '_')}`];
    if (/[\r\n]/.test(value ?? '')) throw new PluginFault(`The secret {${placeholder}} has a line break.`);
    return value === undefined ? [] : [`${key}=${value}`];
  });
  if (lines.length === 0) return [];
  const folder = process.env['CLOUDFIT_RUN_FOLDER'] ?? mkdtempSync(join(tmpdir(), 'cloudfit-plugin-'));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'options.ini');
  writeFileSync(file, `[${name}]\n${lines.join('\n')}\n`, { mode: 0o600 });
  return [`--extra-opts=${name}@${file}`];
}

/** Prints a fault as a plugin does. */
function printUnknown(message) {
  process.stdout.write(`UNKNOWN - ${message}\n`);
  process.exitCode = unknown;
}

/** Runs a plugin. One that cannot run, for want of a library or a program that it needs, is UNKNOWN with what it says. */
function start(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    let errors = '';
    let isSilent = true;
    child.stdout.on('data', (part) => {
      isSilent &&= part.toString().trim() === '';
      process.stdout.write(part);
    });
    child.stderr.setEncoding('utf8').on('data', (part) => (errors = (errors + part).slice(-4_000)));
    child.once('error', (error) => {
      printUnknown(`the plugin could not be started (${error.code ?? error.message})`);
      resolve();
    });
    let timer;
    // A process that the plugin left may hold its output open.
    child.once('exit', () => {
      timer = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, leftoverMs);
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      // It could not be started.
      if (child.pid === undefined) return;
      const isState = code !== null && code <= unknown;
      const reason = errors.trim().split('\n').at(-1) || `the plugin printed nothing and ended with ${signal ?? `exit code ${code}`}`;
      process.exitCode = isState ? code : unknown;
      if (!isState && !isSilent) process.stderr.write(`${reason}\n`);
      else if (isSilent) process.stdout.write(`${isState ? states[code] : 'UNKNOWN'} - ${reason}\n`);
      resolve();
    });
  });
}

function startNamed(name) {
  const { options, secrets = [] } = plugins[name];
  const path = pathOf(name);
  return start(path, [...secretWords(name, secrets), ...options.flatMap(optionWords), ...wordsOf(text('Further arguments'))]);
}

/** Runs what `begin` starts; a fault of the parameters is UNKNOWN. */
const orUnknown = (begin) => async () => {
  try {
    await begin();
  } catch (error) {
    if (!(error instanceof PluginFault)) throw error;
    printUnknown(error.message);
  }
};

await run({
  Plugin: orUnknown(() => start(required('Plugin'), wordsOf(text('Arguments')))),
  ...Object.fromEntries(Object.keys(plugins).map((name) => [name, orUnknown(() => startNamed(name))])),
});
