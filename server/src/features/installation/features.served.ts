import { features } from '@cloudfit/contract/resources/features.ts';
import { serve } from '../../resources/served.ts';

export const servedFeatures = serve(features, 'feature');
