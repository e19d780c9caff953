import { shortForm } from '../testing/short-form.ts';
import { C18 } from './standbys.ts';

shortForm(C18);
