import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const watching = `import { exitWithParent } from ${JSON.stringify(join(import.meta.dirname, 'parent.ts'))};
  exitWithParent(() => { console.log('alone'); process.exit(0); }); setInterval(() => {}, 1000); console.log('up');`;

/** Imitates npm and its shell: starts the watching process as a grandchild and prints its output. */
const starter = `const { spawn } = require('node:child_process');
  spawn(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(watching)}], { stdio: 'inherit', env: { ...process.env, EXIT_WITH_PARENT: String(process.pid) } });`;

it('ends when its parent is killed', async () => {
  const parent = spawn(process.execPath, ['-e', starter], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  parent.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(parent.stdout, 'data');
  parent.kill('SIGKILL');
  await once(parent.stdout, 'end');
  expect(output).toBe('up\nalone\n');
});
