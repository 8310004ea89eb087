import { complianceReport } from '@cloudfit/contract/resources/compliance-report.ts';
import { deviceInstallations } from '@cloudfit/contract/resources/device-installations.ts';
import { serve } from '../../../resources/served.ts';

export const servedDeviceInstallations = serve(deviceInstallations, 'device_installation');

export const servedComplianceReport = serve(complianceReport, 'compliance_report');
