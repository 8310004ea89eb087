/** Draws the rooms of a workspace and their imports as a Mermaid diagram, for docs/ARCHITECTURE.md. */

/** The imports between rooms: for each room, the rooms that its files import. */
export type RoomImports = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the imports that no chain of other imports implies, so that the diagram stays readable. */
export function reduceImports(imports: RoomImports): RoomImports {
  return new Map(
    [...imports].map(([room, targets]) => {
      const direct = [...targets].filter(
        (target) => ![...targets].some((other) => other !== target && other !== room && reaches(imports, other, target, new Set([room]))),
      );
      return [room, new Set(direct)];
    }),
  );
}

function reaches(imports: RoomImports, from: string, target: string, visited: Set<string>): boolean {
  visited.add(from);
  return [...(imports.get(from) ?? [])].some((next) => next === target || (!visited.has(next) && reaches(imports, next, target, visited)));
}

/** Returns the diagram: an arrow from each room to the rooms that it imports, rooms in alphabetical order. */
export function drawRooms(imports: RoomImports): string {
  const arrows = [...reduceImports(imports)]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .flatMap(([room, targets]) => (targets.size === 0 ? [] : [`  ${room} --> ${[...targets].toSorted().join(' & ')}`]));
  return ['```mermaid', 'flowchart TD', ...arrows, '```'].join('\n');
}

/** Replaces the diagram of a workspace in the text of a page: what stands between its two comments. */
export function withDiagram(page: string, workspace: string, diagram: string): string {
  const start = `<!-- rooms of ${workspace}: written by npm run rooms -->`;
  const [before, rest] = page.split(start);
  const after = rest?.split('<!-- end of rooms -->').slice(1).join('<!-- end of rooms -->');
  if (after === undefined) throw new Error(`docs/ARCHITECTURE.md has no place for the rooms of ${workspace}: ${start}`);
  return `${before}${start}\n\n${diagram}\n\n<!-- end of rooms -->${after}`;
}
