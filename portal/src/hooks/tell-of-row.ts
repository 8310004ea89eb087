import { namesOfOthers } from '../api/context.ts';
import { toast, type ToastOptions } from '../components/toasts.tsx';

/** More tenants than these are not named one by one. */
const maxNamed = 3;

/** The ids of tenants in a value, such as rows or an object with a row. */
function tenantsIn(value: unknown, depth = 2): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('tenantId' in value) return [value.tenantId];
  return depth === 0 ? [] : Object.values(value).flatMap((part) => tenantsIn(part, depth - 1));
}

/** Tells what happened to rows. Before the text stand their tenants, if they are others than the one that the person has chosen. */
export function tellOfRow(rows: unknown, text: string, options?: ToastOptions): void {
  const names = namesOfOthers(new Set(tenantsIn(rows)));
  const isSaid = names.length === 0 || names.length > maxNamed || names.every((name) => text.includes(name));
  toast.success(isSaid ? text : `${names.join(', ')}: ${text}`, options);
}
