/** Where backups are. Alone, because the server reads it before it loads the rest. */
import { join } from 'node:path';
import type { Config } from '../../platform/config.ts';

/** The folder of the backups that administrators make in the portal. */
export const backupsFolder = (config: Pick<Config, 'dataDir' | 'backupDir'>): string => config.backupDir ?? join(config.dataDir, 'backups');
