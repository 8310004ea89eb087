/** Reads API paths: without case, `/api/v1` as `/v1`, `set(key)` as `set/key`, bound functions with their parameters. */
import { ApiError } from '@cloudfit/contract/errors.ts';

export interface ApiPath {
  /** Decoded segments after `/v1/` or `/api/`; the first of them in lower case. */
  root: 'v1' | 'api';
  segments: string[];
  rawQuery: string;
}

const prefix = /^\/(api\/v1|v1|api)(?:\/|$)/i;

/** Null for a path outside the API. */
export function parsePath(url: string): ApiPath | null {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const found = prefix.exec(path);
  if (!found) return null;
  const root = found[1]?.toLowerCase() === 'api' ? 'api' : 'v1';
  const rest = path.slice(found[0].length).replace(/\/$/, '');
  return {
    root,
    segments: rest === '' ? [] : rest.split('/').map((segment) => unqualified(decode(segment))),
    rawQuery: mark < 0 ? '' : url.slice(mark + 1),
  };
}

/** The path of a list behind which `/$count` stands; null for other paths. */
export function countedPath(path: ApiPath): ApiPath | null {
  const { segments } = path;
  return segments.length > 1 && segments.at(-1)?.toLowerCase() === '$count' ? { ...path, segments: segments.slice(0, -1) } : null;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ApiError('InvalidQueryOption', 'The address has a percent sign that encodes nothing.');
  }
}

/** Functions are called with or without the namespace of the model before their name. */
function unqualified(segment: string): string {
  return segment.replace(/^CloudFit\.(?=\w+\()/i, '');
}

/** `workunits(5)` → name and key; a quoted key loses its quotes. */
export function splitKey(segment: string): { name: string; key: string | null } {
  const found = /^([A-Za-z]+)\((.*)\)$/.exec(segment);
  if (!found) return { name: segment, key: null };
  return { name: found[1] ?? '', key: unquote(found[2] ?? '') };
}

function unquote(text: string): string {
  return text.startsWith("'") && text.endsWith("'") && text.length > 1 ? text.slice(1, -1).replaceAll("''", "'") : text;
}

export type PathPattern = (segments: readonly string[]) => Record<string, string> | null;

/** Compiles `rules/toggledisabled/{id}` or `workunits/GetX(workUnitId={workUnitId})`. */
export function compilePattern(path: string): PathPattern {
  const parts = (path === '' ? [] : path.split('/')).map((part) => {
    const names: string[] = [];
    const text = part
      .split(/(\{\w+\})/)
      .map((piece) => {
        if (!/^\{\w+\}$/.test(piece)) return piece.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
        names.push(piece.slice(1, -1));
        return '(.+?)';
      })
      .join('');
    return { expression: new RegExp(`^${text}$`, 'i'), names };
  });
  return (segments) => {
    if (segments.length !== parts.length) return null;
    const values: Record<string, string> = {};
    for (const [index, part] of parts.entries()) {
      const found = part.expression.exec(segments[index] ?? '');
      if (!found) return null;
      part.names.forEach((name, n) => {
        values[name] = unquote(found[n + 1] ?? '');
      });
    }
    return values;
  };
}
