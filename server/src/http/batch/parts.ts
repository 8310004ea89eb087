/** The calls of a batch and their answers, in both forms. */

/** One call of a batch. */
export interface BatchPart {
  id: string;
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  /** Calls with the same group take effect together or not at all. */
  group: string | undefined;
  /** Ids of calls and groups that must have succeeded. */
  dependsOn: readonly string[];
}

/** The answer of a call; for a group that failed, the answer of the call that failed. */
export interface BatchAnswer {
  id: string;
  group: string | undefined;
  status: number;
  headers: Readonly<Record<string, string>>;
  /** The bytes of the answer, which are passed on unread. */
  body: Buffer;
}
