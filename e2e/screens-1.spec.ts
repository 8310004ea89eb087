import { checkScreens } from './check-screens.ts';

checkScreens(0, 2);
