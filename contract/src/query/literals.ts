/** Reads literals: first by their spelling, then as the type that their context needs. */
import type { LiteralNode } from './ast.ts';
import type { Parameter } from './functions.ts';
import type { Literal, Type, Value } from './tree.ts';
import * as values from './values.ts';

/** A literal with its spelling, from which `coerce` can read it as another type. */
export interface SpelledLiteral extends Literal {
  text: string;
}

/** Reads a literal as the type that its spelling has; undefined if the value is invalid or out of range. */
export function ownLiteral(node: LiteralNode): SpelledLiteral | undefined {
  const { text } = node;
  switch (node.kind) {
    case 'null':
      return { k: 'literal', type: 'null', value: null, text };
    case 'boolean':
      return { k: 'literal', type: 'boolean', value: text.toLowerCase() === 'true', text };
    case 'string':
      return { k: 'literal', type: 'text', value: text, text };
    case 'number': {
      const parsed = values.number(text);
      return parsed && { k: 'literal', ...parsed, text };
    }
    case 'guid':
      return spelled('guid', values.guidValue(text), text);
    case 'dateTime':
      return spelled('timestamp', values.timestamp(text), text);
    case 'date':
      return spelled('date', values.calendarDate(text), text);
    case 'timeOfDay':
      return spelled('timeOfDay', values.timeOfDay(text), text);
    case 'duration':
      return spelled('duration', values.duration(text), text);
  }
}

function spelled(type: Type, value: Value | undefined, text: string): SpelledLiteral | undefined {
  return value === undefined ? undefined : { k: 'literal', type, value, text };
}

const numeric: ReadonlySet<Parameter> = new Set(['int', 'bigint', 'decimal']);

export function fits(type: Type, target: Parameter): boolean {
  if (type === target) return true;
  if (target === 'whole') return type === 'int' || type === 'bigint';
  return numeric.has(type) && (target === 'number' || numeric.has(target));
}

/**
 * Reads a literal as another type: quoted GUIDs and times, a date as its midnight, an unquoted GUID as text, hh:mm:ss as a
 * duration. Undefined when that is impossible.
 */
export function coerce(literal: Literal, text: string, target: Parameter): Literal | undefined {
  if (fits(literal.type, target)) return literal;
  const type: Type = target === 'number' ? 'decimal' : target === 'whole' ? 'int' : target;
  if (literal.value === null) return { k: 'literal', type, value: null };
  const value = read(literal.type, text, type);
  return value === undefined ? undefined : { k: 'literal', type, value };
}

function read(from: Type, text: string, to: Type): Value | undefined {
  if (from === 'guid' && to === 'text') return text;
  if (from === 'date' && to === 'timestamp') return values.timestamp(`${text}T00:00:00Z`);
  if (from === 'timeOfDay' && to === 'duration') return values.duration(text);
  if (from !== 'text') return undefined;
  switch (to) {
    case 'guid':
      return values.guidValue(text);
    case 'timestamp':
      return values.timestamp(text) ?? (values.calendarDate(text) && values.timestamp(`${text}T00:00:00Z`));
    case 'date':
      return values.calendarDate(text);
    case 'timeOfDay':
      return values.timeOfDay(text);
    case 'duration':
      return values.duration(text);
    default:
      return undefined;
  }
}
