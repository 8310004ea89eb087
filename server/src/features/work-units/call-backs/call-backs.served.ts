import { callBacks } from '@cloudfit/contract/resources/call-backs.ts';
import { serve } from '../../../resources/served.ts';

export const servedCallBacks = serve(callBacks, 'call_back');
