import { locations } from '@cloudfit/contract/resources/locations.ts';
import { subscriptions } from '@cloudfit/contract/resources/subscriptions.ts';
import { serve } from '../../resources/served.ts';

export const servedSubscriptions = serve(subscriptions, 'subscription');
export const servedLocations = serve(locations, 'location');
