/** The scripts of the built-in packages, unpacked and started as an agent starts them. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtInNames, filesOfBuiltIn } from '../features/packages/built-in.ts';

const sources = fileURLToPath(new URL('../../packages', import.meta.url));

interface ScriptRun {
  code: number;
  output: string;
  errors: string;
  report: {
    value?: unknown;
    metrics?: Record<string, number>;
    states?: Record<string, string>;
    diagnostics?: Record<string, unknown>;
    message?: string;
  };
}

export interface BuiltInScripts {
  folder: string;
  /** Runs an operation to its end. `env` holds secrets, and what else the agent sets. */
  runScript: (name: string, operation: string, parameters?: Record<string, string>, env?: Record<string, string>) => Promise<ScriptRun>;
}

/** Unpacks the packages into a new folder, which the test removes. */
export async function unpackBuiltIns(): Promise<BuiltInScripts> {
  const folder = mkdtempSync(join(tmpdir(), 'built-in-scripts-'));
  for (const name of await builtInNames(sources)) {
    const target = join(folder, name, '1.0.0');
    mkdirSync(target, { recursive: true });
    for (const [file, content] of await filesOfBuiltIn(sources, name)) writeFileSync(join(target, file), content);
  }
  const runScript: BuiltInScripts['runScript'] = (name, operation, parameters = {}, variables = {}) => {
    const cwd = join(folder, name, '1.0.0');
    const env = {
      PATH: process.env['PATH'],
      ...variables,
      CLOUDFIT_OPERATION: operation,
      CLOUDFIT_PARAMETERS: JSON.stringify(parameters),
    };
    return new Promise((resolve) => {
      execFile(process.execPath, [join(cwd, `${name}.mjs`)], { cwd, env, maxBuffer: 64 * 1024 ** 2 }, (error, output, errors) => {
        const line = output.split('\n').find((one) => one.startsWith('{'));
        resolve({
          code: error ? Number(error.code) : 0,
          output,
          errors,
          report: line === undefined ? {} : (JSON.parse(line) as ScriptRun['report']),
        });
      });
    });
  };
  return { folder, runScript };
}
