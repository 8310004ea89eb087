import { describe, expect, it } from 'vitest';
import { findImports, judgeImport } from './rooms.ts';

describe('rooms', () => {
  it.each([
    ['server/src/http/routes.ts', '../resources/list.ts'],
    ['server/src/resources/list.ts', '../context/ctx.ts'],
    ['server/src/features/rules/a.ts', './b.ts'],
    ['server/src/main.ts', './http/server.ts'],
    ['server/src/resources/list.test.ts', '../http/server.ts'],
    ['server/src/rules/backtest/backtest.job.ts', '../run/entity.ts'],
    ['server/src/app/actions.ts', '../rules/explain/explain.action.ts'],
    ['server/src/rules/run/silence.ts', '@cloudfit/contract/rules/evaluate/evaluate.ts'],
    ['portal/src/features/home/page.tsx', '../../resource/list-page.tsx'],
    ['agent/src/main.ts', '@cloudfit/contract/agent/messages.ts'],
    ['contract/src/resource.ts', 'zod'],
    ['server/src/testing/server-process.ts', '../../../scripts/server/program.mjs'],
  ])('%s may import %s', (path, specifier) => {
    expect(judgeImport(path, specifier)).toBeUndefined();
  });

  it.each([
    ['server/src/resources/list.ts', '../http/server.ts'],
    ['server/src/features/rules/a.ts', '../devices/b.ts'],
    ['server/src/app/app.ts', '../admin/connect.ts'],
    ['server/src/rules/run/silence.ts', '../past/past-packets.ts'],
    ['server/src/app/actions.ts', '../rules/explain/find.ts'],
    ['server/src/rules/run/silence.ts', '@cloudfit/contract/rules/evaluate/window.ts'],
    ['contract/src/actions/explain.ts', '../rules/evaluate/trace.ts'],
    ['server/src/db/connection.ts', '../../../portal/src/api/client.ts'],
    ['portal/src/components/button.tsx', '../api/client.ts'],
    ['agent/src/main.ts', '@cloudfit/server/db/connection.ts'],
    ['contract/src/resource.ts', 'node:fs'],
    ['server/src/app/installation-work.ts', '../../../scripts/server/program.mjs'],
    ['server/src/testing/server-process.ts', '../../../scripts/install.mjs'],
  ])('%s may not import %s', (path, specifier) => {
    expect(judgeImport(path, specifier)).toBeTypeOf('string');
  });

  it('finds imports of every form', () => {
    const source =
      "import { a,\n  b } from './a.ts';\nimport type { C } from './c.ts';\nimport './d.ts';\nexport { e } from './e.ts';\nconst f = await import('./f.ts');\nexport const g = 'g';\n";
    expect(findImports(source)).toEqual(['./a.ts', './c.ts', './d.ts', './e.ts', './f.ts']);
  });
});
