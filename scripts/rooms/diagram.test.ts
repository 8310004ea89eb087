import { describe, expect, it } from 'vitest';
import { drawRooms, reduceImports, withDiagram } from './diagram.ts';

const imports = new Map([
  ['http', new Set(['features', 'db'])],
  ['features', new Set(['db'])],
  ['db', new Set<string>()],
]);

describe('diagram of the rooms', () => {
  it('leaves out an import that a chain of others implies', () => {
    expect(reduceImports(imports).get('http')).toEqual(new Set(['features']));
  });

  it('keeps every import of rooms that import each other', () => {
    const circle = new Map([
      ['app', new Set(['admin', 'db'])],
      ['admin', new Set(['app', 'db'])],
      ['db', new Set<string>()],
    ]);
    expect(drawRooms(circle)).toContain('admin --> app');
    expect(drawRooms(circle)).toContain('app --> admin');
  });

  it('draws an arrow for each import, and replaces only the diagram of its workspace', () => {
    const place = (workspace: string) => `<!-- rooms of ${workspace}: written by npm run rooms -->\nold\n<!-- end of rooms -->`;
    const page = withDiagram(`a\n${place('server')}\nb\n${place('portal')}\nc`, 'server', drawRooms(imports));
    expect(page).toContain('  features --> db\n  http --> features\n');
    expect(page).toContain('written by npm run rooms -->\nold\n<!-- end of rooms -->\nc');
  });

  it('names the place that a page lacks', () => {
    expect(() => withDiagram('', 'agent', '')).toThrow('rooms of agent');
  });
});
