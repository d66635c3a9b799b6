import { Page } from '../components/page.js';
import { linkTo } from '../lib/router.js';
import { texts } from '../texts.js';

export const NotFound = () => (
  <Page title={texts.notFound.title} lead={texts.notFound.lead}>
    <p>
      <a class="button" href={linkTo('home')}>
        {texts.states.toHome}
      </a>
    </p>
  </Page>
);
