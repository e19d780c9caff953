import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import OperationFilter from './OperationFilter.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('OperationFilter', OperationFilter);
  },
} satisfies Theme;
