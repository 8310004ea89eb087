import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from '../install.mjs';

/** The agent as one CommonJS file, which is what a single executable may hold. */
export async function bundle(version) {
  const manifest = join(root, 'agent/package.json');
  const build = await rolldown({
    input: join(root, 'agent/src/main.ts'),
    platform: 'node',
    cwd: root,
    // The oldest Node that an executable has inside does not know all of the syntax.
    transform: { target: 'node22' },
    plugins: [
      {
        name: 'agent-version',
        load: (id) => (id === manifest ? JSON.stringify({ ...JSON.parse(readFileSync(id, 'utf8')), version }) : null),
      },
    ],
  });
  const { output } = await build.generate({ format: 'cjs', minify: true, codeSplitting: false });
  await build.close();
  return output[0].code;
}
