/** Converts a NIST OSCAL catalog into a control set: controls and enhancements in order, parameters written into the prose. */
import { z } from 'zod/mini';
import type { ControlSetDocument } from './control-set.ts';

interface Part {
  id?: string | undefined;
  name: string;
  prose?: string | undefined;
  props?: readonly Prop[] | undefined;
  parts?: readonly Part[] | undefined;
}
interface Prop {
  name: string;
  value: string;
  class?: string | undefined;
}
interface Param {
  id: string;
  label?: string | undefined;
  values?: readonly string[] | undefined;
  select?: { 'how-many'?: string | undefined; choice?: readonly string[] | undefined } | undefined;
}
interface Control {
  id: string;
  title: string;
  params?: readonly Param[] | undefined;
  props?: readonly Prop[] | undefined;
  parts?: readonly Part[] | undefined;
  controls?: readonly Control[] | undefined;
}
interface Group {
  title: string;
  params?: readonly Param[] | undefined;
  groups?: readonly Group[] | undefined;
  controls?: readonly Control[] | undefined;
}

const prop = z.object({ name: z.string(), value: z.string(), class: z.optional(z.string()) });
const param = z.object({
  id: z.string(),
  label: z.optional(z.string()),
  values: z.optional(z.array(z.string())),
  select: z.optional(z.object({ 'how-many': z.optional(z.string()), choice: z.optional(z.array(z.string())) })),
});
const part: z.ZodMiniType<Part> = z.lazy(() =>
  z.object({
    id: z.optional(z.string()),
    name: z.string(),
    prose: z.optional(z.string()),
    props: z.optional(z.array(prop)),
    parts: z.optional(z.array(part)),
  }),
);
const control: z.ZodMiniType<Control> = z.lazy(() =>
  z.object({
    id: z.string(),
    title: z.string(),
    params: z.optional(z.array(param)),
    props: z.optional(z.array(prop)),
    parts: z.optional(z.array(part)),
    controls: z.optional(z.array(control)),
  }),
);
const group: z.ZodMiniType<Group> = z.lazy(() =>
  z.object({
    title: z.string(),
    params: z.optional(z.array(param)),
    groups: z.optional(z.array(group)),
    controls: z.optional(z.array(control)),
  }),
);

export const oscalCatalog = z.object({
  catalog: z.object({
    uuid: z.string(),
    metadata: z.object({ title: z.string(), version: z.optional(z.string()) }),
    params: z.optional(z.array(param)),
    groups: z.optional(z.array(group)),
    controls: z.optional(z.array(control)),
  }),
});

export type OscalCatalog = z.infer<typeof oscalCatalog>;

type Params = ReadonlyMap<string, Param>;

/** What the prose of a catalog refers to. */
interface CatalogTexts {
  params: Params;
  /** The names of controls and parts by their ids. */
  labels: ReadonlyMap<string, string>;
}

const insertion = /\{\{\s*(?:insert:\s*param,\s*)?([\w.-]+)\s*\}\}/g;

/** A reference to another part (`[AU-2a.](#au-2_smt.a)`), or a link to the web. */
const link = /\[([^[\]]*)\]\(([^()\s]+)\)/g;

/** Replaces links by their texts, with the address of a link to the web behind it. `labels` name parts whose link has no text. */
function withoutLinks(text: string, labels: ReadonlyMap<string, string>): string {
  return text.replaceAll(link, (_whole, words: string, to: string) => {
    if (!to.startsWith('#')) return words === '' || words === to ? to : `${words} (${to})`;
    return words || (labels.get(to.slice(1)) ?? to.slice(1));
  });
}

/** How many of the choices apply, as the catalogs print it: `Selection (one or more)`. */
function selectionOf(howMany: string | undefined): string {
  return howMany ? `Selection (${howMany.replaceAll('-', ' ')})` : 'Selection';
}

/** Replaces placeholders by the parameter's values, `[Assignment: ...]` or `[Selection: ...]`, which may hold placeholders. */
function filled(text: string, params: Params, depth = 0): string {
  return text.replaceAll(insertion, (whole, id: string) => {
    const param = params.get(id);
    if (!param || depth > 5) return whole;
    if (param.values?.length) return param.values.join(', ');
    const choices = param.select?.choice;
    const words = choices?.length
      ? `${selectionOf(param.select?.['how-many'])}: ${choices.join('; ')}`
      : `Assignment: ${param.label ?? id}`;
    return `[${filled(words, params, depth + 1)}]`;
  });
}

/** Returns an indented line for the part and for each part below it. */
function lines(of: Part, texts: CatalogTexts, depth: number): string[] {
  const prose = of.prose ? withoutLinks(filled(of.prose, texts.params), texts.labels) : '';
  const line = prose === '' ? [] : [`${'  '.repeat(depth)}${[labelOf(of), prose].filter(Boolean).join(' ')}`];
  return [...line, ...(of.parts ?? []).flatMap((below) => lines(below, texts, depth + line.length))];
}

const labelOf = ({ props }: Part): string | undefined => props?.find((prop) => prop.name === 'label')?.value;

/** Adds the labels of the parts by which links name them: `AC-2b.1.`. */
function addLabels(of: Part, above: string, labels: Map<string, string>): void {
  const label = `${above}${labelOf(of) ?? ''}`;
  if (of.id !== undefined) labels.set(of.id, label);
  for (const below of of.parts ?? []) addLabels(below, label, labels);
}

function descriptionOf(of: Control, texts: CatalogTexts): string | null {
  const statements = (of.parts ?? []).filter((part) => part.name === 'statement');
  const text = statements.flatMap((statement) => lines(statement, texts, 0)).join('\n');
  return text === '' ? null : text.slice(0, 20_000);
}

/** Returns the label of a control, such as `AC-2(1)`; without one, its id in capitals. */
function nameOf(of: Control): string {
  const labels = (of.props ?? []).filter((prop) => prop.name === 'label');
  return (labels.find((label) => label.class !== 'zero-padded') ?? labels[0])?.value ?? of.id.toUpperCase();
}

const isWithdrawn = (of: Control): boolean => (of.props ?? []).some((prop) => prop.name === 'status' && /^withdrawn$/i.test(prop.value));

/** Converts a catalog to a control set, without withdrawn controls. */
export function fromOscal({ catalog }: OscalCatalog): ControlSetDocument {
  const params = new Map<string, Param>();
  const labels = new Map<string, string>();
  const all: Control[] = [];
  const takeControl = (control: Control): void => {
    for (const p of control.params ?? []) params.set(p.id, p);
    labels.set(control.id, nameOf(control));
    for (const below of control.parts ?? []) addLabels(below, nameOf(control), labels);
    if (!isWithdrawn(control)) all.push(control);
    for (const below of control.controls ?? []) takeControl(below);
  };
  const takeGroup = (group: Group): void => {
    for (const p of group.params ?? []) params.set(p.id, p);
    for (const below of group.groups ?? []) takeGroup(below);
    for (const below of group.controls ?? []) takeControl(below);
  };
  takeGroup({ title: '', ...catalog });
  return {
    name: catalog.metadata.title,
    description: catalog.metadata.version ? `OSCAL catalog, version ${catalog.metadata.version}` : 'OSCAL catalog',
    controls: all.map((item) => ({ name: nameOf(item), title: item.title, description: descriptionOf(item, { params, labels }) })),
  };
}
