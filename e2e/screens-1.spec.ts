import { lookAtScreens } from './look-at-screens.ts';

lookAtScreens(0, 2);
