"""Groups of words with which developers say the same thing, one group per line.

Written from general knowledge, not from any labelled set (docs/adr/0037-paraphrases.md).
"""

from __future__ import annotations

GROUPS = """\
database db postgres postgresql mysql mariadb sqlite mongodb dynamodb rds aurora sql datastore
cache caching redis memcached valkey cached memoize ttl
queue broker kafka rabbitmq sqs nats pubsub sidekiq celery topic stream oban bullmq messages
search elasticsearch opensearch meilisearch typesense lucene solr index fts
cloud aws gcp azure hetzner digitalocean fly heroku ec2 vps hosting hosted
host hosting server machine box vm node instance hardware hosted
container docker podman image containerd kubernetes pod compose oci
cluster kubernetes k8s nomad swarm eks gke nodes orchestration k3s
dependency dependencies package library module crate gem requirement lockfile pin vendored
installer package manager pip uv poetry npm pnpm yarn cargo bundler brew apt conda install
build compile compiler make cmake bazel gradle webpack vite esbuild bundle artifact
pipeline ci workflow actions jenkins gitlab buildkite circleci job build
deploy deployment release rollout ship shipping publish launch promote canary live
release version tag changelog semver ship publish
rollback revert undo back downgrade restore
backup snapshot dump copy restore archive pitr
secret secrets credential credentials password token key vault keychain passphrase kms apikey sops
password credential login passphrase secret
login signin authentication auth sso oauth oidc saml session password identity authenticate
permission permissions access role rbac authorization acl grant privilege rights authorise iam
certificate cert certificates tls ssl https letsencrypt acme x509
encryption encrypted encrypt crypto aes cipher tls kms hashed
hash hashing checksum digest sha256 md5 bcrypt argon2
logging log logs logger journal syslog sentry stdout tracing
monitoring metrics prometheus grafana datadog dashboard observability telemetry alert statsd
alert alarm page pager pagerduty notification notify oncall warning
outage incident downtime crash failure postmortem broke broken
crash panic segfault abort die died killed oom hang exception fault
error exception failure fault bug issue traceback broken wrong
slow latency performance lag sluggish slowness p95 bottleneck delay throughput
fast quick speed performance optimise optimized faster accelerate
memory ram heap oom footprint leak mb gb
cpu processor core cores load thread
disk storage volume ssd filesystem drive space gb partition
network networking vpc subnet dns firewall proxy vpn tcp connection
firewall security group iptables ufw allowlist blocked whitelist
domain dns hostname url subdomain zone cloudflare route53
address url endpoint host ip uri link location
port listens listen binds bind socket
endpoint route path api url handler resource
api endpoint interface rest graphql grpc rpc sdk contract
throttle throttling ratelimit rate limit quota limiter 429 cap
retry retries attempt attempts backoff repeat tries redelivery
timeout deadline expire expires wait seconds hang limit
limit cap maximum max ceiling quota threshold bound
minimum least floor lowest min
size length bytes mb kb megabytes limit large
duration long seconds minutes hours days timeout ttl retention period
schedule scheduled cron nightly timer hourly daily weekly job periodic
nightly night midnight cron overnight daily
meeting standup call sync retro review weekly appointment
deadline due date freeze milestone cutoff
freeze frozen holiday code block
team squad group people crew colleagues members
owner owns maintainer maintains responsible charge contact lead runs ask
responsible owner owns charge maintains accountable lead
boss manager lead cto head director
colleague teammate coworker reviewer engineer developer
customer client user buyer shopper consumer account merchant tenant subscriber
vendor supplier provider contractor partner company
money amount amounts price currency cents payment sum cash euro dollar decimal
price cost fee charge rate pricing paid tariff
cost costs bill expensive spend budget price monthly cheap invoice
budget spend cap limit money allowance
expensive costs cost pricey price cheap
pay payment payments stripe adyen paypal charge checkout payout billing settle
refund refunds chargeback reimburse return repay reversal
invoice bill billing receipt statement
purchase order checkout cart basket buy shop
discount coupon promo voucher rebate offer
shop store storefront ecommerce catalogue catalog
tax vat gst duty
bookkeeping accounting ledger debit credit journal book
rounding round decimal half even precision bankers
number integer float decimal numeric digits int bigint
identifier id ids uuid ulid key snowflake primary
date time timestamp utc iso timezone datetime clock day
timezone utc zone local offset tz
language locale translation i18n english localization translated
translate translation localization i18n strings locale
language python rust go typescript javascript java kotlin swift elixir ruby
framework library react vue svelte angular django flask fastapi rails phoenix spring express
frontend ui client browser react page interface web
backend server service api
ui interface screen page view design layout
button control widget click press
style styling css tailwind theme colour color look design
colour color colors palette hex theme dark
font typeface typography serif text
picture image images photo thumbnail png jpeg webp avatar
video media stream clip mp4 hls
sound audio music volume mp3 wav
icon svg symbol glyph logo
animation transition motion easing
keyboard shortcut key keys hotkey binding
accessibility a11y screenreader aria wcag contrast
phone mobile ios android device handset app iphone
offline disconnected sync local network airplane
synchronise sync replicate merge conflict crdt replication
notification push email alert message toast
mail email smtp message inbox sendgrid postmark ses newsletter
chat slack discord teams irc channel messages
document documentation docs readme wiki manual guide adr notes
write written wrote rewrote rewritten authored document draft
test tests testing pytest jest spec suite coverage assertion verify
flaky intermittent unreliable unstable random sometimes
fake mock stub fixture double simulated
fixture sample testdata factory seed
benchmark measure measured performance timing profiling
profiling profiler flamegraph perf hotspot
debug debugger debugging inspect gdb breakpoint trace
lint linter formatter ruff eslint prettier black format clippy style
format formatter formatting style prettier indentation layout
indentation tabs spaces indent format
naming name names convention named prefix suffix case
convention rule guideline standard style policy agreed
rule policy must never always convention guideline
forbid forbidden banned never prohibited disallow avoid must
prefer prefers likes preference favourite wants favour rather
dislike hates avoid annoyed dislikes never
decide decided decision chose chosen picked choice selected settled
reject rejected declined turned dismissed dropped refused against
alternative option instead candidate considered choice
replace replaced swap switch migrated moved instead substitute
migrate migration moved move port switch upgrade alembic flyway
upgrade bump update version newer migrate
remove removed delete deleted drop dropped gone retired deprecated
deprecated obsolete legacy old retired sunset removed
delete deletion erase purge remove gdpr drop wipe
old legacy outdated former previous stale
new latest newest recent current fresh
start begin boot launch startup init bring
stop shutdown halt kill terminate end
restart reboot reload bounce relaunch
install setup set bootstrap provision configure
configure configuration config settings setting option env yaml toml
setting config option flag parameter variable preference
flag toggle feature switch option launchdarkly
variable env environment setting export
environment env staging production prod dev sandbox
production prod live customers
staging preprod test sandbox environment qa
laptop local machine workstation dev desktop
terminal shell console cli bash zsh command prompt
command script run cli invoke task make
script command tool task automation makefile
editor ide vscode vim neovim jetbrains emacs
repository repo git monorepo codebase source github
branch main trunk feature git merge
merge rebase squash pr branch combine
commit commits message git history change
review reviewer approve approval pr pull request sign
approve approval signoff permission consent reviewer ok
ticket issue jira linear bug task story board
task todo job work ticket
plan roadmap milestone intend next
folder directory path location dir
file files path folder document
upload file s3 bucket transfer send attach
bucket s3 blob gcs object storage minio
download fetch pull get retrieve
import ingest load read intake
export dump extract csv output download
spreadsheet excel csv sheet xlsx
report reporting summary pdf statement
parse parser parsing read decode grammar
serialise serialization json protobuf encode marshal msgpack encoding
json yaml toml xml format payload
compress compression gzip zstd zip packed brotli
encoding utf unicode charset characters
character characters letters text symbol unicode
text string words content copy
validation validate check verify schema constraint pydantic zod
duplicate duplicates twice dedup idempotent idempotency repeated double
twice duplicate double idempotent repeated
unique distinct constraint uniqueness duplicate
concurrency concurrent parallel thread lock race async simultaneous
lock mutex locking deadlock exclusive blocked advisory
race simultaneous concurrent timing ordering
transaction atomic commit rollback isolation
background worker job async queue daemon
worker job process background consumer
consistent consistency atomic isolation eventual
partition shard sharding split bucket
replica replication follower standby failover read
failover standby replica backup secondary switch
scale scaling autoscale grow replicas capacity
capacity load throughput scale size
traffic load requests visitors rps
request call http query hit
response reply answer returned status
webhook callback hook notification event
event message emitted webhook stream
event sourcing events stream append facts ledger
history audit log trail past journal
audit compliance soc2 trail log gdpr pci
compliance gdpr pci hipaa regulation legal audit soc2
privacy gdpr personal pii data redact
personal pii sensitive private gdpr customer
mask masked redact hide tokenised obfuscate last4
card pan stripe visa payment debit
retention keep kept stored days purge expire
keep retain retention stored store preserved hold
store stored saved kept persisted save storage held
save saved stored persist write kept
throw discard drop delete purge
expire expiry expires ttl lifetime valid
clean cleanup purge prune tidy garbage vacuum
model network classifier llm weights transformer
training train fit learning epochs dataset
predict prediction inference forecast score
data dataset records rows table warehouse
warehouse bigquery snowflake redshift lake dbt
etl pipeline ingest dbt airflow dagster transform
sensor gauge probe measurement reading station
measurement reading sample metric value
firmware embedded microcontroller mcu rtos flash
chip mcu soc stm32 esp32 processor microcontroller
board pcb hardware devkit module
battery power energy sleep consumption current mah
sleep idle low power standby wake
flash write firmware program ota memory
wireless radio bluetooth ble wifi lora zigbee antenna
bluetooth ble pairing gatt wireless
update ota upgrade firmware patch
interrupt isr irq handler timer
serial uart usb rs485 spi i2c bus
temperature heat thermal degrees celsius hot
game player match server session lobby
player user gamer account match
tick frame loop fps update rate
score points ranking leaderboard elo
cheat cheating abuse exploit anti ban
book chapter page manuscript ebook epub
print printing pdf paper page typeset
map maps geo location tiles coordinates gps mapbox
location gps place position coordinates region
region zone eu west east location datacenter
country region locale geography market
weather rain forecast station river flood
vehicle car truck fleet van drone
patient health clinical medical hospital ehr
school student course teacher
legal lawyer licence license contract agreement terms
licence license mit apache gpl open source
contract agreement sla terms
support helpdesk ticket customers zendesk intercom
hours time morning evening schedule availability
availability uptime sla available
weekend friday saturday sunday
morning early noon
urgent emergency hotfix critical immediate asap
hotfix patch emergency urgent fix
fix fixed solved cure repair workaround resolved patch
cause caused reason due culprit root
reason since due
workaround hack temporary bypass
warning deprecation notice caution
danger risk dangerous careful unsafe hazard
safe safety secure guarded
attack hack exploit vulnerability cve xss injection csrf ddos breach
vulnerability cve exploit security advisory
spam abuse bot captcha
robot bot crawler scraper automated
proxy nginx caddy traefik haproxy gateway envoy loadbalancer
gateway proxy ingress entry edge
cdn cloudflare fastly edge cloudfront static
browser chrome firefox safari chromium webkit
cookie session token samesite storage
page screen route view url
form input field validation submit
field column attribute property input
column field attribute table
table relation rows schema
record row entry item document
index indexes btree lookup key
query sql select statement lookup search
orm sqlalchemy prisma ecto activerecord hibernate
pagination page cursor offset paging limit
sort order sorting ordered ranking
filter condition narrow
list array collection vector
tree hierarchy nested parent children
graph nodes edges relation
string text varchar chars
null none missing empty optional nil undefined
default fallback standard usual
optional flag maybe nullable
exception raise throw error try
function method procedure routine callable
class type struct object interface
type types typing mypy typescript typed
constant literal fixed magic
comment docstring annotation remark
loop iterate iteration cycle
recursion recursive stack depth
stack heap overflow trace
pointer reference borrow lifetime
garbage gc collector memory
pool pooling connections pgbouncer pooled
connection connect socket pool link
client consumer caller sdk
server backend host daemon
service microservice app daemon
monolith modular service split
architecture layers design structure hexagonal modules
layer tier boundary module
plugin extension addon integration
integration connector third party webhook adapter
template jinja handlebars skeleton boilerplate
generate generated codegen scaffold produce
diagram chart graph plot drawing mermaid
chart graph plot visualisation dashboard
screenshot picture snapshot capture visual
demo presentation showcase meeting
training course workshop onboarding
onboarding newcomer new hire joins starter
hire hiring interview join
leave leaves left vacation holiday away
vacation holiday away absent leave
office building room location desk
hardware machine device equipment
printer scanner device
keyboard mouse input
nickname alias called aka known codename
codename project alias name
k8s kubernetes cluster
db database
auth authentication authorization login oauth
config configuration settings cfg
repo repository
env environment
prod production
pg postgres postgresql psql
js javascript node
ts typescript
py python
perf performance
infra infrastructure terraform pulumi cloud
terraform infrastructure iac pulumi opentofu provision
deps dependencies packages
params parameters arguments args options
args arguments parameters flags
cmd command
dir directory folder
pwd password passwd
creds credentials secrets
ff feature flag
mr merge request pr
pr pull request merge review
msg message
docs documentation
impl implementation
spec specification test
temp temporary tmp scratch
lib library
src source
img image
org organisation organization company
stats statistics metrics numbers
admin administrator operator backoffice root
sysadmin operator administrator ops
ops operations operator devops sre
dba database administrator
"""
