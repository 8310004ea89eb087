import { reportInstallations } from '@cloudfit/contract/actions/agent.ts';
import { implement } from '../../../resources/action.ts';
import { keepInstallationReports } from './report.ts';

export const reportInstallationsAction = implement(reportInstallations, keepInstallationReports);
