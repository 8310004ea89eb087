import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from '../install.mjs';

/** Bundles the agent to one CommonJS file, because a single executable can contain only one script. */
export async function bundle(version) {
  const manifest = join(root, 'agent/package.json');
  const build = await rolldown({
    input: join(root, 'agent/src/main.ts'),
    platform: 'node',
    cwd: root,
    // Node 22, which the Windows executable contains, does not know all syntax of the sources.
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
