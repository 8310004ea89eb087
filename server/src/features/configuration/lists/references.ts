/** Looks up the rows that cells name: in the tenant, or for all tenants, with the rights of the caller. */
import { permission } from '@cloudfit/contract/permissions.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { may, type Ctx } from '../../../context/ctx.ts';
import { rowsIn, type PortableRow } from '../rows-in.ts';
import { CellFault } from './cells.ts';

const lower = (value: unknown): string => String(value).toLowerCase();

/** Rows of one resource by their titles and keys. */
export class Named {
  private readonly byText = new Map<string, PortableRow[]>();
  private readonly resource: string;

  private constructor(resource: string) {
    this.resource = resource;
  }

  static async read(ctx: Ctx, tenantId: string, name: string, texts: readonly string[]): Promise<Named> {
    const resource = requireResource(name);
    const named = new Named(name);
    if (texts.length === 0 || !may(ctx, permission(resource.area, 'view'))) return named;
    const rows = [
      ...(await rowsIn(ctx, resource, resource.title, texts, { all: true })),
      ...(await rowsIn(ctx, resource, resource.key, texts, { all: true })),
    ];
    for (const row of new Map(rows.map((row) => [lower(row[resource.key]), row])).values()) {
      if (row['tenantId'] !== undefined && row['tenantId'] !== null && row['tenantId'] !== tenantId) continue;
      if (resource.softDelete !== undefined && row[resource.softDelete] === true) continue;
      for (const text of [lower(row[resource.title]), lower(row[resource.key])])
        named.byText.set(text, [...(named.byText.get(text) ?? []), row]);
    }
    return named;
  }

  /** The key of the row that the cell names, one of the tenant before one for all tenants. */
  keyOf(cell: string, column: string): string | number {
    const { key, label, plural } = requireResource(this.resource);
    const rows = this.byText.get(lower(cell)) ?? [];
    const ofTenant = rows.filter((row) => row['tenantId'] !== null);
    const some = ofTenant.length > 0 ? ofTenant : rows;
    const [first] = some;
    if (!first)
      throw new CellFault(column, `There is no ${label.toLowerCase()} "${cell}" in this tenant. Create it first, or correct the name.`);
    if (some.length > 1) throw new CellFault(column, `There are several ${plural.toLowerCase()} "${cell}". Write the id of one of them.`);
    return first[key] as string | number;
  }

  has(cell: string): boolean {
    return this.byText.has(lower(cell));
  }
}
