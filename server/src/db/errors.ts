/** Converts PostgreSQL's errors to API errors; SQL text never reaches a caller. */
import { ApiError } from '@cloudfit/contract/errors.ts';

interface PgError extends Error {
  code: string;
  detail?: string;
  constraint?: string;
  table?: string;
  column?: string;
}

// EPIPE has the form of an SQLSTATE too, so the codes of lost connections are excluded.
function isPgError(error: unknown): error is PgError {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    /^[0-9A-Z]{5}$/.test(error.code) &&
    !connectionLost.has(error.code)
  );
}

const connectionLost = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

export function unreachable(): ApiError {
  return new ApiError('Unavailable', 'The database cannot be reached just now. Please try again.');
}

/**
 * Further SQLSTATEs of an unavailable database: the server became a read-only standby; the session was ended because
 * its transaction was idle; a disk fails.
 */
const elsewhere = new Set(['25006', '25P03', '58030']);

export function storageFull(): ApiError {
  return new ApiError('Unavailable', 'The storage is full: nothing can be stored until an administrator has made room on its disk.');
}

/** Returns whether the error means that a disk is full: an error of PostgreSQL, or of the file system. */
export function isStorageFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '53100' || error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

function fromCode(error: PgError): ApiError {
  const kind = error.code.slice(0, 2);
  if (error.code === '23505') return new ApiError('Conflict', 'A row with this name or key exists already.', { target: error.constraint });
  if (error.code === '23503')
    return new ApiError('Conflict', 'Another row uses this one, or this one refers to a row that does not exist.', {
      target: error.constraint,
    });
  if (error.code === '23502')
    return new ApiError('ValidationFailed', `${error.column ?? 'A value'} is required.`, { target: error.column });
  if (error.code === '42501') return new ApiError('Forbidden', 'You do not have access to this.');
  if (error.code === '22012') return new ApiError('InvalidFilter', 'The query divides by zero.');
  if (kind === '22' || error.code === '23514') return new ApiError('TypeMismatch', 'A value does not fit its field.');
  // The statement is too complex for the planner or the stack.
  if (kind === '54')
    return new ApiError('TooComplex', 'The request is too complex for the database. Send a shorter filter or fewer values.');
  if (error.code === '57014') return new ApiError('Timeout', 'This took too long and was stopped. Narrow the filter and try again.');
  if (error.code === '40001' || error.code === '40P01' || error.code === '55P03')
    return new ApiError('Unavailable', 'Too many changes at once. Please try again.');
  // Connection lost, shutting down, starting up, too many connections, or a standby that takes no writes.
  if (kind === '53' || kind === '57' || kind === '08' || elsewhere.has(error.code)) return unreachable();
  return new ApiError('InternalError', 'Something went wrong on the server.');
}

/**
 * Converts errors of PostgreSQL to an ApiError, with the original as its cause for the log. An ApiError and an unknown
 * error are returned unchanged.
 */
export function toApiError(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  if (isStorageFull(error)) return Object.assign(storageFull(), { cause: error });
  if (isPgError(error)) return Object.assign(fromCode(error), { cause: error });
  if (
    error instanceof Error &&
    ('code' in error
      ? connectionLost.has(String(error.code))
      : /Connection terminated|timeout exceeded|timeout expired|read timeout|not queryable/.test(error.message))
  ) {
    return Object.assign(unreachable(), { cause: error });
  }
  return error;
}
