/** Texts of the notices for administrators. */
export const noticeTexts = {
  storage: {
    low: (free: string, percent: number) =>
      `${free} of disk space are left on the server, ${percent} %. When it is full, nothing can be saved and packets are refused.`,
    full: (free: string) =>
      `The disk of the server is full (${free} left): nothing can be saved and packets are refused. Free up space on it.`,
  },
  archive: (since: string | null, size: string | null, error: string | null) =>
    `The log of the database ${since ? `has not been archived since ${since}` : 'cannot be archived'}: later changes cannot be restored from the archive, and the log grows on the disk of the server${size ? ` (${size})` : ''}. ${error ?? 'Make room in the folder of ARCHIVE_DIR, or let PostgreSQL write to it'}.`,
  archiveCopies: (since: string, error: string) =>
    `The archive has not been kept since ${since}: ${error}. A restore from it cannot go back to a later moment with all files.`,
} as const;
