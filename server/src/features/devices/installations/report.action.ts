import { reportInstallations } from '@cloudfit/contract/actions/agent.ts';
import { implement } from '../../../resources/action.ts';
import { storeInstallationReports } from './report.ts';

export const reportInstallationsAction = implement(reportInstallations, storeInstallationReports);
