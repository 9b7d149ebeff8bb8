// The toolbar button and the context menu open a tab of the extension, which sends the page.
const openTab = (tab, query) => chrome.tabs.create({
  url: chrome.runtime.getURL(`send.html?${new URLSearchParams(query)}`),
  index: tab.index + 1,
  openerTabId: tab.id,
});

chrome.runtime.onInstalled.addListener(({ reason }) => {
  for (const [id, title, contexts] of [
    ["page", "Print this page", ["page"]],
    ["selection", "Print the selection", ["selection"]],
    ["link", "Print the linked page", ["link"]],
    ["later", "Read this page later", ["page"]],
    ["later-link", "Read the linked page later", ["link"]],
  ]) chrome.contextMenus.create({ id, title, contexts }, () => chrome.runtime.lastError);
  if (reason === "install") chrome.runtime.openOptionsPage();
});

chrome.action.onClicked.addListener((tab) => openTab(tab, { tab: tab.id }));

chrome.contextMenus.onClicked.addListener((click, tab) => {
  if (click.menuItemId === "link") openTab(tab, { url: click.linkUrl });
  else if (click.menuItemId === "later") openTab(tab, { url: click.pageUrl, later: "yes" });
  else if (click.menuItemId === "later-link") openTab(tab, { url: click.linkUrl, later: "yes" });
  else openTab(tab, { tab: tab.id });
});
