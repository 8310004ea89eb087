/**
 * The first module of a bundle: stack traces name sources. Node's own way, `--enable-source-maps`, reads all maps at the start, which
 * costs more than a tenth of it; this reads the map of a file when an error in it is printed.
 */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How long a map stays in memory, where it takes some ten megabytes. */
const keptMs = 60_000;
const bundled = /file:\/\/[^\s()]+\.mjs:\d+:\d+/;

const maps = new Map();

function mapOf(file) {
  if (!maps.has(file)) {
    if (maps.size === 0) setTimeout(() => maps.clear(), keptMs).unref();
    maps.set(file, readMap(file));
  }
  return maps.get(file);
}

function readMap(file) {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  } catch {
    // The traces then name the bundle.
    return undefined;
  }
}

/** Returns the place in the sources of `file:///...mjs:line:column`. */
function placeOf(text) {
  const [, url, line, column] = /^(.*):(\d+):(\d+)$/.exec(text);
  const file = fileURLToPath(url);
  const { originalSource, originalLine, originalColumn } = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1) ?? {};
  return originalSource === undefined ? text : `${resolve(dirname(file), originalSource)}:${originalLine + 1}:${originalColumn + 1}`;
}

function headOf(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

Error.prepareStackTrace = (error, frames) =>
  [headOf(error), ...frames.map((frame) => `    at ${String(frame).replace(bundled, placeOf)}`)].join('\n');
