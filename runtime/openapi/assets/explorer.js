/**
 * Runs in the browser: renders the table of contents beside the operations and the packages as headings among them, and
 * follows the preferred colour scheme. Plain script, served unchanged; swagger-ui loads `explorerPlugin` and calls
 * `explorerReady`.
 */
(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const applyColorScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', applyColorScheme);
  applyColorScheme();

  /** Wraps the component of a tag: the first tag of a group gets a heading with the group's name. */
  window.explorerPlugin = () => ({
    wrapComponents: {
      OperationTag:
        (Original, { React, specSelectors }) =>
        (props) => {
          // Events are in the webhooks section of the page.
          if (props.tagObj.get('operations').size === 0) return null;
          const groups = specSelectors.specJson().get('x-tagGroups')?.toJS() ?? [];
          const group = groups.find(({ tags }) => tags[0] === props.tag);
          const heading = group && React.createElement('h2', { className: 'explorer-package' }, group.name);
          return React.createElement(React.Fragment, null, heading, React.createElement(Original, props));
        },
    },
  });

  window.explorerReady = () => {
    const document_ = window.ui.specSelectors.specJson().toJS();
    const contents = document.querySelector('.explorer-contents');
    const list = contents.querySelector('.explorer-groups');
    const operations = operationsByTag(document_);
    for (const { name, tags } of document_['x-tagGroups'] ?? []) list.append(groupOf(name, tags, operations));

    const search = contents.querySelector('input');
    search.addEventListener('input', () => filterOperations(contents, search.value));
    search.form.addEventListener('submit', (event) => event.preventDefault());

    const wide = matchMedia('(min-width: 60rem)');
    const openIfWide = () => {
      contents.open = wide.matches;
    };
    wide.addEventListener('change', openIfWide);
    openIfWide();
    contents.addEventListener('click', (event) => {
      if (event.target.closest('a') && !wide.matches) contents.open = false;
    });
  };

  /** Groups operations by tag. Events are in a section of their own, under the tag that swagger-ui gives them. */
  function operationsByTag({ paths, webhooks = {} }) {
    const operationsOf = (items) =>
      Object.entries(items).flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => ({ ...operation, method, path })),
      );
    const events = operationsOf(webhooks).map((event) => ({ ...event, section: 'webhooks' }));
    return Map.groupBy([...operationsOf(paths), ...events], ({ tags }) => tags[0]);
  }

  function element(name, className, ...children) {
    const created = document.createElement(name);
    if (className) created.className = className;
    created.append(...children);
    return created;
  }

  function groupOf(name, tags, operations) {
    const items = tags.map((tag) => {
      const own = operations.get(tag) ?? [];
      const count = element('small', '', String(own.length));
      const entries = own.map((operation) => entryOf(operation.section ?? tag, operation));
      return element('li', '', linkTo([own[0]?.section ?? tag], tag, ' ', count), element('ul', '', ...entries));
    });
    return element('li', 'explorer-group', element('strong', '', name), element('ul', '', ...items));
  }

  function entryOf(tag, { method, path, summary, operationId }) {
    const link = linkTo([tag, operationId], element('b', `explorer-${method}`, method), ` ${path}`);
    link.title = summary;
    const entry = element('li', 'explorer-operation', link);
    entry.dataset.text = `${method} ${path} ${summary} ${operationId}`.toLowerCase();
    return entry;
  }

  /** A link that expands its tag or operation and scrolls to it. */
  function linkTo([tag, operationId], ...children) {
    const link = element('a', '', ...children);
    link.href = `#/${[tag, operationId].filter(Boolean).map(encodeURIComponent).join('/')}`;
    link.addEventListener('click', (event) => {
      event.preventDefault();
      history.replaceState(null, '', link.href);
      window.ui.layoutActions.show(['operations-tag', tag], true);
      if (operationId) window.ui.layoutActions.show(['operations', tag, operationId], true);
      const id = [operationId ? 'operations' : 'operations-tag', tag, operationId].filter(Boolean).join('-');
      const target = () => document.getElementById(id.replaceAll(' ', '_')) ?? document.querySelector(`.${tag}`);
      setTimeout(() => target()?.scrollIntoView({ block: 'start' }), 50);
    });
    return link;
  }

  /** Shows only the operations that contain every word, with their tags and groups. */
  function filterOperations(contents, text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    contents.classList.toggle('explorer-searching', words.length > 0);
    for (const entry of contents.querySelectorAll('.explorer-operation')) {
      entry.hidden = !words.every((word) => entry.dataset.text.includes(word));
    }
    for (const parent of contents.querySelectorAll('.explorer-group li:has(ul), .explorer-group')) {
      parent.hidden = words.length > 0 && !parent.querySelector('.explorer-operation:not([hidden])');
    }
    const none = contents.querySelector('.explorer-none');
    none.hidden = contents.querySelector('.explorer-operation:not([hidden])') !== null;
  }
})();
