import { communicationMails } from '@cloudfit/contract/resources/communication-mails.ts';
import { communicationUpdates } from '@cloudfit/contract/resources/communication-updates.ts';
import { serve } from '../../../resources/served.ts';
import { editableTenants } from './contacts.served.ts';

export const servedCommunicationUpdates = serve(communicationUpdates, 'communication_update');

export const servedCommunicationMails = serve(communicationMails, 'communication_mail', { rowsFor: editableTenants });
