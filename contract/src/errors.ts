/** The form of all errors of the API and their codes. */

/** The HTTP status of each error code. */
export const statusOf = {
  InvalidQueryOption: 400,
  InvalidFilter: 400,
  InvalidOrderBy: 400,
  InvalidSelect: 400,
  InvalidExpand: 400,
  InvalidApply: 400,
  InvalidSearch: 400,
  UnknownProperty: 400,
  TypeMismatch: 400,
  TooComplex: 400,
  InvalidBody: 400,
  ValidationFailed: 400,
  UnknownSeries: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  TestFailed: 409,
  Conflict: 409,
  PreconditionFailed: 412,
  PayloadTooLarge: 413,
  UriTooLong: 414,
  UnsupportedMediaType: 415,
  RangeNotSatisfiable: 416,
  TooManyRequests: 429,
  HeadersTooLarge: 431,
  InternalError: 500,
  NotImplemented: 501,
  Timeout: 503,
  Unavailable: 503,
} as const;

export type ErrorCode = keyof typeof statusOf;

/** One problem. `message` is for people; `target` is a field name or an option, maybe with an offset: `$filter:14`. */
export interface ErrorDetail {
  code: ErrorCode;
  message: string;
  target?: string;
}

/** Body of every error answer. */
export interface ErrorBody {
  error: ErrorDetail & { details?: ErrorDetail[]; innererror?: { requestId: string } };
}

/** A limit of calls that a caller has used up: so many `calls` within so many `seconds`. */
export interface CallLimit {
  name: string;
  calls: number;
  seconds: number;
}

/** An error that any code may throw; only `server/src/http` converts it to an answer. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly target: string | undefined;
  readonly details: readonly ErrorDetail[];
  /** When known, the seconds after which the caller of a 429 may try again. */
  readonly retryAfterSeconds: number | undefined;
  /** The limit that a 429 is about, if it is one of calls in a time. */
  readonly limit: CallLimit | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      target?: string | undefined;
      details?: readonly ErrorDetail[];
      retryAfterSeconds?: number;
      limit?: CallLimit | undefined;
    } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.target = options.target;
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.limit = options.limit;
  }

  get status(): number {
    return statusOf[this.code];
  }
}

/** Returns the error of a refused write, with a detail per problem of a field. */
export function validationFailed(details: readonly { target: string; message: string }[]): ApiError {
  const all = details.map((d) => ({ code: 'ValidationFailed' as const, ...d }));
  // Some texts have no full stop at their end, as specified; in a list of several, a full stop separates them.
  const message = all.map((d, n) => (n < all.length - 1 && !/[.!?]$/.test(d.message) ? `${d.message}.` : d.message)).join(' ');
  return new ApiError('ValidationFailed', message, { target: all[0]?.target, details: all });
}

export function forbidden(message = 'You do not have access to this.'): ApiError {
  return new ApiError('Forbidden', message);
}

export function tooManyRequests(message: string, retryAfterSeconds: number, limit?: CallLimit): ApiError {
  return new ApiError('TooManyRequests', message, { retryAfterSeconds, limit });
}

/** Returns the message of any thrown value. Some network errors of Node have a code and no message. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}

/** Returns the error for a missing row, and for a row outside the caller's scope, to not reveal that the row exists. */
export function notFound(what: string): ApiError {
  return new ApiError('NotFound', `${what} was not found.`);
}
