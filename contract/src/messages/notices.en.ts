/** Texts of the notices for administrators. */
export const noticeTexts = {
  storage: {
    low: (free: string, percent: number) =>
      `${free} of disk space are left on the server, ${percent} %. When it is full, nothing can be saved and packets are refused.`,
    full: (free: string) =>
      `The disk of the server is full (${free} left): nothing can be saved and packets are refused. Free up space on it.`,
  },
} as const;
