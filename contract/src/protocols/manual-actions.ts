/** Fills the placeholders of a protocol's manual-action text from a work unit (PROT-017, PROT-018, WU-059..062). */
import { placeholderPattern } from '../rules/placeholders.ts';

const placeholders = new RegExp(placeholderPattern, 'g');

/** Fields of the unit, and other values such as `WorkUnitUrl` and `AckUrl`. */
type ManualActionValues = Readonly<Record<string, unknown>>;

/**
 * Replaces `{Name}` and `{Name|default}`, ignoring case: by the field's value, for an empty field by the default or nothing; unknown
 * names stay unchanged.
 */
export function fillManualActions(text: string, values: ManualActionValues): string {
  const valueByName = new Map(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]));
  return text.replaceAll(placeholders, (whole, name: string, byDefault = '') => {
    const key = name.toLowerCase();
    if (!valueByName.has(key)) return whole;
    const value = valueByName.get(key);
    if (value === null || value === undefined || value === '') return byDefault;
    return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
  });
}
