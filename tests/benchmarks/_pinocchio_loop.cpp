// Steps of Pinocchio's articulated-body algorithm and constraint dynamics, compiled like symvi's own loop: Python would
// take longer between the steps than for them. Integrators are ours, Pinocchio has none.
#include <memory>
#include <string>
#include <vector>

#include <pinocchio/fwd.hpp>

#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>

namespace pin = pinocchio;
using Eigen::Map;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct Chain {
    pin::Model model;
    std::vector<pin::RigidConstraintModel> ends;
    std::vector<pin::RigidConstraintData> end_data;
    std::unique_ptr<pin::Data> data;
    pin::ProximalSettings proximal{1e-12, 1e-10, 10};
    VectorXd force;

    const VectorXd &acceleration(const VectorXd &q, const VectorXd &v)
    {
        if (ends.empty()) {
            return pin::aba(model, *data, q, v, force, pin::Convention::LOCAL);
        }
        return pin::constraintDynamics(model, *data, q, v, force, ends, end_data, proximal);
    }
};

extern "C" {

// links: how many; spherical: 0 or 1; axes: of hinges, three numbers each, or null for x; first, next: the first joint in the world, the others on the link before;
// centre: of a link, from its joint; end: where the last link's end lies, from its joint, and in the world, or null
void *chain_new(int links, int spherical, const double *axes, const double *next, const double *centre, double mass, const double *inertia,
                double gravity, const double *tip, const double *end, double stiffness, double damping)
{
    Chain *chain = new Chain;
    chain->model.gravity.linear(Vector3d(0, 0, -gravity));
    pin::JointIndex last = 0;
    for (int k = 0; k < links; k++) {
        const pin::SE3 place(Matrix3d::Identity(), k ? Vector3d(Map<const Vector3d>(next)) : Vector3d::Zero());
        const std::string name = "joint" + std::to_string(k);
        if (spherical) {
            last = chain->model.addJoint(last, pin::JointModelSpherical(), place, name);
        } else if (axes) {
            const Vector3d axis = Map<const Vector3d>(axes + 3 * k);
            last = chain->model.addJoint(last, pin::JointModelRevoluteUnaligned(axis), place, name);
        } else {
            last = chain->model.addJoint(last, pin::JointModelRX(), place, name);
        }
        const Matrix3d moments = Map<const Vector3d>(inertia).asDiagonal();
        chain->model.appendBodyToJoint(last, pin::Inertia(mass, Map<const Vector3d>(centre), moments), pin::SE3::Identity());
    }
    chain->data.reset(new pin::Data(chain->model));
    chain->force = VectorXd::Zero(chain->model.nv);
    if (end) {
        const pin::SE3 here(Matrix3d::Identity(), Map<const Vector3d>(tip)), there(Matrix3d::Identity(), Map<const Vector3d>(end));
        pin::RigidConstraintModel pinned(pin::CONTACT_3D, chain->model, last, here, 0, there, pin::LOCAL);
        pinned.baumgarte_corrector_parameters().Kp = stiffness;
        pinned.baumgarte_corrector_parameters().Kd = damping;
        chain->ends.push_back(pinned);
        chain->end_data.push_back(pin::RigidConstraintData(pinned));
        pin::initConstraintDynamics(chain->model, *chain->data, chain->ends, chain->end_data);
    }
    return chain;
}

void chain_free(void *chain)
{
    delete static_cast<Chain *>(chain);
}

// steps from q and v, both overwritten; record: every step's q and v, or null; runge_kutta: 1 fourth order, 0 the
// semi-implicit Euler method
void chain_run(void *pointer, int runge_kutta, double h, int steps, double *q_place, double *v_place, double *record)
{
    Chain &chain = *static_cast<Chain *>(pointer);
    const pin::Model &model = chain.model;
    Map<VectorXd> q_out(q_place, model.nq), v_out(v_place, model.nv);
    VectorXd q = q_out, v = v_out, moved(model.nq), turn(model.nv), v2, v3, v4, a1, a2, a3, a4;
    const auto move = [&](const VectorXd &from, double time, const VectorXd &velocity) -> const VectorXd & {
        turn.noalias() = time * velocity;
        pin::integrate(model, from, turn, moved);
        return moved;
    };
    for (int n = 0; n < steps; n++) {
        if (runge_kutta) {
            a1 = chain.acceleration(q, v);
            v2 = v + 0.5 * h * a1;
            a2 = chain.acceleration(move(q, 0.5 * h, v), v2);
            v3 = v + 0.5 * h * a2;
            a3 = chain.acceleration(move(q, 0.5 * h, v2), v3);
            v4 = v + h * a3;
            a4 = chain.acceleration(move(q, h, v3), v4);
            v2 = (v + 2 * v2 + 2 * v3 + v4) / 6;
            q = move(q, h, v2);
            v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        } else {
            v.noalias() += h * chain.acceleration(q, v);
            q = move(q, h, v);
        }
        if (record) {
            Map<VectorXd>(record, model.nq) = q;
            Map<VectorXd>(record + model.nq, model.nv) = v;
            record += model.nq + model.nv;
        }
    }
    q_out = q;
    v_out = v;
}
}
