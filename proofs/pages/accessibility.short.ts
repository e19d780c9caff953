import { shortForm } from '../testing/short-form.ts';
import { F12 } from './accessibility.ts';

shortForm(F12);
