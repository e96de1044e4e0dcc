#include "fidelity/kinds.h"

#include <gtest/gtest.h>

namespace gwatch::fidelity {

namespace {

TEST(Kinds, OfMachineOpcodes) {
    EXPECT_EQ(kind_of_sass("LDG.E.128"), Kind::kGlobalLoad);
    EXPECT_EQ(kind_of_sass("LDGSTS.E.BYPASS.128"), Kind::kAsyncCopy);
    EXPECT_EQ(kind_of_sass("LDGDEPBAR"), Kind::kNone);
    EXPECT_EQ(kind_of_sass("LDS"), Kind::kSharedLoad);
    EXPECT_EQ(kind_of_sass("LDSM.16.M88.4"), Kind::kSharedLoad);
    EXPECT_EQ(kind_of_sass("LDL.LU"), Kind::kLocalLoad);
    EXPECT_EQ(kind_of_sass("LD.E"), Kind::kGenericLoad);
    EXPECT_EQ(kind_of_sass("LDC.64"), Kind::kNone);
    EXPECT_EQ(kind_of_sass("UTMALDG.2D"), Kind::kBulkCopy);
    EXPECT_EQ(kind_of_sass("HMMA.16816.F32"), Kind::kMma);
    EXPECT_EQ(kind_of_sass("HGMMA.64x64x16.F32"), Kind::kWgmma);
    EXPECT_EQ(kind_of_sass("UTCHMMA"), Kind::kTcgen05Mma);
    EXPECT_EQ(kind_of_sass("BAR.SYNC.DEFER_BLOCKING"), Kind::kBarrier);
    EXPECT_EQ(kind_of_sass("SYNCS.PHASECHK.TRANS64.TRYWAIT"), Kind::kMbarrierWait);
    EXPECT_EQ(kind_of_sass("SYNCS.ARRIVE.TRANS64.A1T0"), Kind::kMbarrierArrive);
    EXPECT_EQ(kind_of_sass("SYNCS.EXCH.64"), Kind::kNone);
    EXPECT_EQ(kind_of_sass("WARPGROUP.DEPBAR.LE"), Kind::kAsyncWait);
    EXPECT_EQ(kind_of_sass("WARPGROUP.ARRIVE"), Kind::kNone);
    EXPECT_EQ(kind_of_sass("REDG.E.ADD.64.STRONG.GPU"), Kind::kAtomic);
    EXPECT_EQ(kind_of_sass("REDUX"), Kind::kNone) << "REDUX is no RED";
}

TEST(Kinds, OfPtxOpcodes) {
    EXPECT_EQ(kind_of_ptx("ld.global.nc.v4.b32"), Kind::kGlobalLoad);
    EXPECT_EQ(kind_of_ptx("ld.volatile.global.u32"), Kind::kGlobalLoad);
    EXPECT_EQ(kind_of_ptx("ld.shared::cta.u32"), Kind::kSharedLoad);
    EXPECT_EQ(kind_of_ptx("ld.relaxed.gpu.global.L1::no_allocate.b32"), Kind::kGlobalLoad);
    EXPECT_EQ(kind_of_ptx("ld.param.u64"), Kind::kNone);
    EXPECT_EQ(kind_of_ptx("ld.u32"), Kind::kGenericLoad);
    EXPECT_EQ(kind_of_ptx("st.v2.f32"), Kind::kGenericStore);
    EXPECT_EQ(kind_of_ptx("ldmatrix.sync.aligned.m8n8.x4.shared.b16"), Kind::kSharedLoad);
    EXPECT_EQ(kind_of_ptx("cp.async.cg.shared.global"), Kind::kAsyncCopy);
    EXPECT_EQ(kind_of_ptx("cp.async.commit_group"), Kind::kNone);
    EXPECT_EQ(kind_of_ptx("cp.async.wait_group"), Kind::kAsyncWait);
    EXPECT_EQ(kind_of_ptx("cp.async.bulk.tensor.2d.shared::cluster.global"), Kind::kBulkCopy);
    EXPECT_EQ(kind_of_ptx("cp.async.bulk.wait_group.read"), Kind::kAsyncWait);
    EXPECT_EQ(kind_of_ptx("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"), Kind::kMma);
    EXPECT_EQ(kind_of_ptx("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16"), Kind::kWgmma);
    EXPECT_EQ(kind_of_ptx("wgmma.fence.sync.aligned"), Kind::kNone);
    EXPECT_EQ(kind_of_ptx("tcgen05.mma.cta_group::1.kind::f16"), Kind::kTcgen05Mma);
    EXPECT_EQ(kind_of_ptx("bar.sync"), Kind::kBarrier);
    EXPECT_EQ(kind_of_ptx("bar.warp.sync"), Kind::kNone);
    EXPECT_EQ(kind_of_ptx("barrier.cluster.wait.aligned"), Kind::kBarrier);
    EXPECT_EQ(kind_of_ptx("mbarrier.try_wait.parity.shared::cta.b64"), Kind::kMbarrierWait);
    EXPECT_EQ(kind_of_ptx("mbarrier.arrive.expect_tx.shared.b64"), Kind::kMbarrierArrive);
    EXPECT_EQ(kind_of_ptx("redux.sync.add.s32"), Kind::kNone);
    EXPECT_EQ(kind_of_ptx("add.u32"), Kind::kNone);
}

TEST(Kinds, OnlyWaitsComplete) {
    EXPECT_TRUE(waits(Kind::kBarrier));
    EXPECT_TRUE(waits(Kind::kMbarrierWait));
    EXPECT_TRUE(waits(Kind::kAsyncWait));
    for (const Kind kind : {Kind::kGlobalLoad, Kind::kAsyncCopy, Kind::kBulkCopy, Kind::kMma,
                            Kind::kWgmma, Kind::kTcgen05Mma, Kind::kMbarrierArrive})
        EXPECT_FALSE(waits(kind)) << name_of(kind);
}

}  // namespace

}  // namespace gwatch::fidelity
