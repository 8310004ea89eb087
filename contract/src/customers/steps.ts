/** The steps by which a customer ends, in their order, and the states of the whole. */
export const offboardingSteps = ['access', 'machines', 'archive', 'deletion'] as const;
export type OffboardingStep = (typeof offboardingSteps)[number];

/** `Waiting`: everything but the deletion is done. It can be stopped until it is `Deleting`. */
export const offboardingStates = ['Running', 'Waiting', 'Deleting', 'Deleted', 'Stopped'] as const;

/** Names of machines that a step lists; the archive has all of them. */
export const listedMachines = 1_000;

/** What a step has done, by its name; a step that is missing is still to do. */
export interface OffboardingFigures {
  machines?: {
    at: string;
    count: number;
    names: string[];
    /** Machines whose agents were ordered to uninstall themselves, how many have reported that, and the names of the others. */
    ordered?: number;
    uninstalled?: number;
    waiting?: string[];
  };
  /** Whether the tenant was enabled before, so that a stop leaves it as it was. */
  access?: { at: string; people: number; sessions: number; tokens: number; wasEnabled?: boolean };
  archive?: { at: string; rows: number; files: number; bytes: number; sha256: string; tables: Record<string, number> };
  deletion?: { at: string; rows: number; files: number; tables: Record<string, number> };
}

/** For how many hours the archive can be downloaded at least: a deletion that would come sooner is moved when the archive is ready. */
export const archiveHours = 24;

/** How far ahead the deletion may be. */
export const longestNoticeDays = 3_650;
