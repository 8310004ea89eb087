/** Builds the portal to `dist`, with .br and .gz copies of text files for the server to send; serves it in development. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { language, translate } from './language-plugin.ts';

const root = import.meta.dirname;
const server = process.env['API'] ?? 'http://127.0.0.1:8080';

let first: Set<string> | undefined;

/** Returns what the shell and the most used screen import. Few files contain it, because each file delays the first render. */
function firstModules(infoOf: (id: string) => { importedIds: readonly string[] } | null): Set<string> {
  if (first) return first;
  first = new Set([join(root, 'src/app/main.tsx'), join(root, 'src/app/work-units-route.tsx')]);
  for (const id of first) for (const next of infoOf(id)?.importedIds ?? []) first.add(next);
  return first;
}

/** Writes `name.br` and `name.gz` for text assets over 1 kB. */
function precompress(): Plugin {
  const brotli = promisify(brotliCompress);
  const zip = promisify(gzip);
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle(options) {
      const folder = options.dir ?? join(root, 'dist');
      const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(js|css|svg|json)$/.test(name));
      await Promise.all(
        names.map(async (name) => {
          const path = join(folder, name);
          const content = await readFile(path);
          if (content.length < 1_024) return;
          await writeFile(`${path}.br`, await brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
          await writeFile(`${path}.gz`, await zip(content, { level: 9 }));
        }),
      );
    },
  };
}

/** Fails the build if the portal imports zod's large build, which is for the server and would add 15 kB to the first load. */
function refuseLargeValidator(): Plugin {
  return {
    name: 'refuse-large-validator',
    apply: 'build',
    buildEnd() {
      const large = [...this.getModuleIds()].find((id) => /\/zod\/v4\/classic\//.test(id));
      const [importer = ''] = [...this.getModuleIds()].filter(
        (id) => !/node_modules/.test(id) && this.getModuleInfo(id)?.importedIds.some((to) => /\/zod\/index/.test(to)),
      );
      if (large !== undefined) this.error(`${importer} imports zod; code of the portal imports zod/mini, or only types.`);
    },
  };
}

/** Fails the build if code of the first load imports the declarations of all entities, which would add 12 kB. */
function refuseAllDeclarations(): Plugin {
  return {
    name: 'refuse-all-declarations',
    apply: 'build',
    buildEnd() {
      const modules = firstModules((id) => this.getModuleInfo(id));
      const importer = [...modules].find((id) => this.getModuleInfo(id)?.importedIds.some((to) => to.endsWith('/resources/registry.ts')));
      if (importer !== undefined) this.error(`${importer} imports the declarations of all entities; the first list needs \`referenceTo\`.`);
    },
  };
}

/**
 * The most JavaScript of the first list, in bytes as gzip: what `index.html` names, which loads before the first rows. Texts of other
 * languages are longer than the English ones, and have a table of choices.
 */
const firstLoadBytes = language === 'en' ? 220_000 : 226_000;

/** Fails the build if the code of the first load grows beyond its budget, so that growth is a decision. */
function limitFirstLoad(): Plugin {
  const zip = promisify(gzip);
  return {
    name: 'limit-first-load',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const page = await readFile(join(dir, 'index.html'), 'utf8');
      const names = [...page.matchAll(/src="(\/assets\/[^"]+\.js)"/g)].map(([, name = '']) => name);
      const sizes = await Promise.all(names.map(async (name) => (await zip(await readFile(join(dir, name)), { level: 9 })).length));
      const sum = sizes.reduce((total, size) => total + size, 0);
      if (sum === 0 || sum > firstLoadBytes)
        this.error(
          `The first list loads ${sum} bytes of JavaScript as gzip, and may load ${firstLoadBytes}: import what it does not show on demand.`,
        );
    },
  };
}

/** Preloads the font with the first code, because text that first renders in a fallback font is laid out twice. */
function preloadFont(): Plugin {
  return {
    name: 'preload-font',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle, filename }) =>
        Object.keys(bundle ?? {})
          .filter((name) => filename.endsWith('index.html') && /inter-latin-wght-normal.*\.woff2$/.test(name))
          .map((name) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `/${name}` },
            injectTo: 'head' as const,
          })),
    },
  };
}

export default defineConfig({
  root,
  plugins: [translate(), react(), refuseLargeValidator(), refuseAllDeclarations(), preloadFont(), precompress(), limitFirstLoad()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2024',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Each screen contains only the declared calls that it makes, instead of a file with all of them.
      optimization: { inlineConst: { mode: 'all', pass: 2 } },
      // Libraries mark client code with `"use client"`; here everything is client code.
      onLog: (level, log, handle) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
      input: { index: join(root, 'index.html'), silent: join(root, 'silent.html') },
      output: {
        codeSplitting: {
          // Without this, one group would include everything that its members import.
          includeDependenciesRecursively: false,
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
            { name: 'router', test: /node_modules\/react-router\// },
            { name: 'query', test: /node_modules\/@tanstack\/(query-core|react-query)\// },
            // Code that every panel with a form needs.
            {
              name: 'forms',
              test: /node_modules\/(react-hook-form|@mui\/material\/useAutocomplete|@mui\/utils\/(useControlled|usePreviousProps))\/|src\/(forms|drafts)\/|src\/components\/(combo-box|read-only-field)|src\/rows\/missing-row|src\/entities\/people\/person-input/,
            },
            // Small files about executions, matches and maintenance, which several panels need together.
            {
              name: 'happened',
              test: /src\/entities\/(executions\/(next-try|tries|try-buttons|execution-item|execution-state)|explanations\/(addresses|why-link)|matches\/value-seen|maintenance\/(until-choices|maintain-button|use-maintenance))|messages\/(executions|maintenance|why)\.(en|de)\./,
            },
            // Small files that a dashboard needs together: each file costs a request and the browser about 5 ms.
            {
              name: 'readings',
              test: /contract\/src\/reports\/duration-text|src\/(components\/chart\/(number-text|points|series-look|sparkline|time-chart-lazy)|messages\/charts\.(en|de))\./,
            },
            {
              name: 'dashboard',
              test: /src\/(features\/dashboards\/(board|customers-|dashboard-page|editor-lazy|links-dialog|load-dashboard|tile-bodies|tile-scope-text|use-|variables|wall-frame)|messages\/dashboards\.(en|de)|resources\/dashboard)/,
            },
            { name: 'articles', test: /src\/features\/knowledge-articles\// },
            // Declarations load with the screens that use them, in few files.
            {
              name: 'unit-declarations',
              test: /contract\/src\/resources\/(work-unit-(?!communication-)|unit-matches|action-|notifications|protocol|blocks|external-notes|maintenance-windows|device-operations)|contract\/src\/packages\/parameters/,
            },
            {
              name: 'device-declarations',
              test: /contract\/src\/resources\/(device-(?!operations)|pending-devices|package|publishers|operation|campaigns|compliance-report|block-logs|locations)/,
            },
            {
              name: 'other-declarations',
              test: /contract\/src\/resources\/(audit|features|grants|invitations|on-call|outbox|destinations|people|permission-sets|status-|subscriptions|knowledge-|tenant-secrets|tokens|compliance|communication-|work-unit-communication-|resolution-center)/,
            },
            { debugName: 'first', name: (id, chunking) => (firstModules((item) => chunking.getModuleInfo(item)).has(id) ? 'first' : null) },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    port: 9400,
    strictPort: true,
    proxy: Object.fromEntries(['/v1', '/api', '/idp'].map((path) => [path, { target: server }])),
  },
  preview: { host: '127.0.0.1', port: 9401, strictPort: true },
});
